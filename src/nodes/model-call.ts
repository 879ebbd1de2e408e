import { countTokens } from '../kernel/count-tokens.ts'
import type { LanguageModel, ModelAnswer, ModelRequest, OnText } from '../models/language-model.ts'
import { promptTokensOf } from '../models/trim-history.ts'
import { parseJson } from '../tools/json-limits.ts'
import { type RunFile, type Step, StepFailure } from '../workflow/step.ts'
import type { NewFile, NodeServices } from './node-services.ts'
import { idempotencyHeader } from './request-headers.ts'

/** The model that a node names by a template, or else the default one of the run. */
export function findModel(step: Step, services: NodeServices, template: unknown): Promise<LanguageModel> {
  const named = typeof template === 'string' ? step.text(template).trim() : ''
  return services.models.find(step.workspaceId, named || step.system.model || undefined)
}

export interface ModelCall {
  model: LanguageModel
  /** Unique within the step: the answer is journaled under it. */
  name: string
  request: ModelRequest
  /** Gets every delta as it arrives, and nothing when the answer comes from the journal. */
  onText?: OnText
  /** Stores an image of the answer; without it, images are left out. */
  storeImage?: (image: NewFile) => Promise<RunFile>
}

type JournaledAnswer = Omit<ModelAnswer, 'images'> & {
  readonly files?: readonly RunFile[]
  /** How long the model thought before its answer began. */
  readonly reasoningMilliseconds?: number
}

/** A model call that is paid for once: after a crash or a retry its answer comes from the journal. */
export function askModel(step: Step, call: ModelCall): Promise<JournaledAnswer> {
  const { model, name, request, onText = () => {}, storeImage } = call
  const idempotencyKey = idempotencyHeader(`${step.idempotencyKey}.${name}`)
  return step.once(name, async (): Promise<JournaledAnswer> => {
    const began = performance.now()
    let answeredAt: number | undefined
    let written = ''
    let writer = model
    const onPiece: OnText = (piece, restarts, by = model) => {
      writer = by
      if (restarts) answeredAt = undefined
      answeredAt ??= performance.now()
      written += piece
      onText(piece, restarts)
    }
    // A provider reports the tokens at the end of an answer; those of one that is stopped or breaks off are paid for, too.
    const spendWritten = (): void => {
      if (written === '') return
      const usage = { promptTokens: promptTokensOf(request), completionTokens: countTokens(written) }
      step.spend({ ...usage, cost: writer.costOf?.(usage) ?? 0, model: writer.name })
    }
    // Counted at once, because the run will be over by the time the model notices the stop.
    step.signal.addEventListener('abort', spendWritten)
    const { images = [], ...answer } = await model
      .generate({ ...request, idempotencyKey }, onPiece, step.signal)
      .catch((error: unknown) => {
        if (!step.signal.aborted) spendWritten()
        throw error
      })
      .finally(() => step.signal.removeEventListener('abort', spendWritten))
    step.spend({ ...answer.usage, model: answer.model ?? model.name })
    const files: RunFile[] = []
    if (storeImage) for (const image of images.flatMap(imageOf)) files.push(await storeImage(image))
    const isEmpty = answer.text.trim() === '' && answer.toolCalls.length === 0 && files.length === 0
    if (answer.cutBy && isEmpty) throw new StepFailure('model_failed', emptyBecause(model.name, answer))
    const thought = answer.reasoning ? Math.round((answeredAt ?? performance.now()) - began) : undefined
    return {
      ...answer,
      ...(files.length > 0 && { files }),
      ...(thought !== undefined && { reasoningMilliseconds: thought }),
    }
  })
}

/** A `data:` URL as a file; none if it is something else. */
function imageOf(url: string, index: number): NewFile[] {
  const [head, type = ''] =
    /^data:image\/(?:x-)?([a-z0-9]{1,10})[^,]{0,100};base64,/i.exec(url.slice(0, 200)) ?? []
  if (head === undefined) return []
  const name = `image-${index + 1}.${type.toLowerCase().replace('jpeg', 'jpg')}`
  return [{ name, bytes: Buffer.from(url.slice(head.length), 'base64') }]
}

const emptyBecause = (name: string, { cutBy, usage }: JournaledAnswer): string =>
  cutBy === 'length'
    ? `Model "${name}": the limit of tokens was reached before the answer began (${usage.completionTokens} tokens). Raise max_tokens, or lower the reasoning effort.`
    : `Model "${name}": the content filter of the provider blocked the answer. Rephrase the message, or use another model.`

/** The JSON in an answer, also in a code fence or between sentences; undefined if there is none, or nested too deeply. */
export function readJsonAnswer(text: string): unknown {
  const inBraces = text.slice(Math.max(0, text.indexOf('{')), text.lastIndexOf('}') + 1)
  for (const candidate of [text, fencedIn(text), inBraces]) {
    const value = parseJson(candidate)
    if (value !== undefined) return value
  }
  return undefined
}

const fence = '```'

function fencedIn(text: string): string {
  const from = text.indexOf(fence)
  const to = from < 0 ? -1 : text.indexOf(fence, from + fence.length)
  if (to < 0) return ''
  const inside = text.slice(from + fence.length, to)
  return (inside.slice(0, 4).toLowerCase() === 'json' ? inside.slice(4) : inside).trim()
}
