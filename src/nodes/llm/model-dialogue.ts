import { AppError } from '../../kernel/app-error.ts'
import type {
  LanguageModel,
  ModelAnswer,
  ModelMessage,
  ModelPart,
  ModelRequest,
  ToolCall,
} from '../../models/language-model.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import { jsonExcess, parseJson } from '../../tools/json-limits.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import { isJsonRecord } from '../../workflow/node-kind.ts'
import { type RunFile, type Step, StepFailure, stepFailed } from '../../workflow/step.ts'
import { askModel, type ModelCall } from '../model-call.ts'
import { clipText } from '../read-setting.ts'
import type { Tool, ToolResult } from './tools.ts'

const defaultCalls = 8

interface DialogueParts {
  readonly model: LanguageModel
  readonly tools: readonly Tool[]
  readonly stream: TextStream
  /** The maximum number of model calls; the last must answer. */
  readonly maxCalls: number | undefined
  readonly settings: Omit<ModelRequest, 'messages' | 'tools'>
  readonly messages: readonly ModelMessage[]
  /** Converts the images among files of tools for the model. */
  readonly imagesOf: (files: readonly RunFile[]) => Promise<ModelPart[]>
  readonly storeImage: NonNullable<ModelCall['storeImage']>
}

interface ModelUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  /** Where the settings of the model have prices. */
  cost?: number
}

/** The dialogue between the model and its tools. Every model call and tool call happens once in the life of the step. */
export class ModelDialogue {
  readonly #step: Step
  readonly #parts: DialogueParts
  readonly #messages: ModelMessage[]
  readonly usage: ModelUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  /** The provider's name of the model that answered last. */
  answeredBy: string
  /** The reasoning of all calls, for the trace, and the time that it took. */
  readonly reasoning: string[] = []
  reasoningMilliseconds = 0
  /** Why the last answer is not complete, if it is not. */
  cutBy: ModelAnswer['cutBy']
  readonly files: RunFile[] = []
  /** The calls of tools, for the author of the workflow. */
  readonly steps: ToolStep[] = []
  #calls = 0

  constructor(step: Step, parts: DialogueParts) {
    this.#step = step
    this.#parts = parts
    this.#messages = [...parts.messages]
    this.answeredBy = parts.model.name
  }

  async answer(): Promise<string> {
    for (;;) {
      // The last call has no tools, so that it can only be an answer.
      const { maxCalls = defaultCalls } = this.#parts
      const tools = this.#calls === maxCalls - 1 ? [] : this.#parts.tools
      const { text, toolCalls, files } = await this.#call(tools)
      if (toolCalls.length === 0 || tools.length === 0) {
        if (text.trim() !== '' || files.length > 0) return text
        const calls = this.#calls === 1 ? '' : ` after ${this.#calls} calls with tools`
        throw stepFailed(`The model gave no answer${calls}; make the prompt clearer, or use another model.`)
      }
      const results = await callTools(this.#step, tools, toolCalls, this.#calls)
      this.steps.push(...results.map(toStep))
      this.#messages.push(...results.map(toMessage), ...(await this.#imageMessage(results)))
      this.#parts.stream.startParagraph()
    }
  }

  /** Few providers accept images in the result of a tool, all that can see do so in a message of the user. */
  async #imageMessage(results: readonly CalledTool[]): Promise<ModelMessage[]> {
    const files = results.flatMap(result => result.files)
    this.files.push(...files)
    const images = await this.#parts.imagesOf(files)
    if (images.length === 0) return []
    return [{ role: 'user', parts: [{ type: 'text', text: 'Images from the tools:' }, ...images] }]
  }

  /** Sends the model the problem of its answer; the next answer replaces the first. */
  async correct(problem: string): Promise<string> {
    this.#parts.stream.restart()
    this.#messages.push({ role: 'user', parts: [{ type: 'text', text: problem }] })
    return (await this.#call([])).text
  }

  async #call(tools: readonly Tool[]) {
    this.#calls += 1
    const before = this.#parts.stream.text
    const answer = await askModel(this.#step, {
      model: this.#parts.model,
      name: `call-${this.#calls}`,
      request: {
        ...this.#parts.settings,
        messages: [...this.#messages],
        ...(tools.length > 0 && { tools: tools.map(definitionOf) }),
      },
      onText: (delta, restarts) => {
        if (restarts) this.#parts.stream.rewind(before)
        this.#parts.stream.write(delta)
      },
      storeImage: this.#parts.storeImage,
    })
    // An answer from the journal, or of a model that does not stream, is written at once.
    if (this.#parts.stream.text === before) this.#parts.stream.write(answer.text)
    const { promptTokens, completionTokens, cost } = answer.usage
    if (cost !== undefined) this.usage.cost = (this.usage.cost ?? 0) + cost
    this.answeredBy = answer.model ?? this.#parts.model.name
    this.usage.prompt_tokens += promptTokens
    this.usage.completion_tokens += completionTokens
    this.usage.total_tokens += promptTokens + completionTokens
    const { text, reasoning, files = [] } = answer
    this.files.push(...files)
    const toolCalls = withUniqueIds(answer.toolCalls, this.#calls)
    this.cutBy = answer.cutBy
    if (reasoning !== undefined) this.reasoning.push(reasoning)
    this.reasoningMilliseconds += answer.reasoningMilliseconds ?? 0
    this.#messages.push({ role: 'assistant', text, toolCalls, ...(reasoning !== undefined && { reasoning }) })
    return { text, toolCalls, files }
  }
}

const definitionOf = ({ name, description, parameters }: Tool) => ({ name, description, parameters })

/** Some providers give no ids, or the same one twice, so results could not be matched to calls. */
function withUniqueIds(calls: readonly ToolCall[], round: number): ToolCall[] {
  const given = new Set(calls.map(call => call.id))
  if (given.size === calls.length && !given.has('')) return [...calls]
  return calls.map((call, place) => ({ ...call, id: `call_${round}_${place}` }))
}

interface CalledTool extends ToolResult {
  readonly call: ToolCall
}

const toMessage = ({ call, text }: CalledTool): ModelMessage => ({
  role: 'tool',
  callId: call.id,
  name: call.name,
  text,
})

interface ToolStep {
  tool: string
  arguments: unknown
  result: string
}

/** Characters of a tool's arguments and of its result in a step. */
const maxStepLength = 4000

function toStep({ call, text }: CalledTool): ToolStep {
  const given = clipText(call.arguments, maxStepLength)
  return { tool: call.name, arguments: parseJson(given) ?? given, result: clipText(text, maxStepLength) }
}

/** Characters of a tool's result that the model sees. */
const maxResultLength = 20_000
/** Tool calls of one answer that are executed; the others fail with a message to the model. */
const maxToolCalls = 16

/** The model may continue after a failure; an error that ends the step is thrown when the other calls have ended. */
async function callTools(
  step: Step,
  tools: readonly Tool[],
  calls: readonly ToolCall[],
  round: number,
): Promise<CalledTool[]> {
  const settled = await Promise.allSettled(
    calls.map((call, place) =>
      place < maxToolCalls
        ? step.once(`tool-${round}-${place}`, () => reported(step, tools, call, `${round}-${place}`))
        : Promise.resolve(`${failedPrefix}at most ${maxToolCalls} calls are executed per answer.`),
    ),
  )
  return settled.map((result, place) => {
    if (result.status === 'rejected') throw result.reason
    const { value } = result
    return { call: calls[place]!, ...(typeof value === 'string' ? { text: value, files: [] } : value) }
  })
}

const failedPrefix = 'failed: '

/** Calls a tool, and reports its begin and end to subscribers of the run. */
async function reported(step: Step, tools: readonly Tool[], call: ToolCall, place: string) {
  const { name: tool } = call
  const { arguments: given } = toStep({ call, text: '', files: [] })
  const began = performance.now()
  step.reportTool({ call: place, tool, status: 'running', arguments: given })
  const result = await resultOf(step, tools, call, `tool-${place}`)
  const text = typeof result === 'string' ? result : result.text
  step.reportTool({
    ...{ call: place, tool, status: text.startsWith(failedPrefix) ? 'failed' : 'done' },
    ...{ result: clipText(text, maxStepLength), elapsed_ms: Math.round(performance.now() - began) },
  })
  return result
}

async function resultOf(
  step: Step,
  tools: readonly Tool[],
  call: ToolCall,
  name: string,
): Promise<string | ToolResult> {
  const tool = tools.find(each => each.name === call.name)
  if (!tool) {
    const names = tools.map(each => each.name).join(', ')
    return `${failedPrefix}there is no tool named ${JSON.stringify(call.name)}; available: ${names}.`
  }
  // A tool without arguments is often called with an empty text.
  const args = call.arguments.trim() === '' ? {} : parseJson(call.arguments)
  if (!isJsonRecord(args))
    return `${failedPrefix}the arguments are ${jsonExcess(call.arguments) ?? 'not a JSON object'}.`
  try {
    const result = await tool.call(args, name)
    return typeof result === 'string' ? clipped(result) : { ...result, text: clipped(result.text) }
  } catch (error) {
    if (step.signal.aborted || !isKnown(error)) throw error
    return `${failedPrefix}${error.message}`
  }
}

function clipped(text: string): string {
  const shown = clipText(text, maxResultLength)
  return shown.length < text.length ? `${shown}\n(cut: ${text.length} characters in all)` : shown
}

const isKnown = (error: unknown): error is Error =>
  [ToolFailure, ModelFailure, StepFailure, AppError].some(kind => error instanceof kind)

/** The text that a step has streamed in this attempt, so that its output equals what the user saw. */
export class TextStream {
  readonly #step: Step
  #text = ''
  #isNewParagraph = false

  constructor(step: Step) {
    this.#step = step
  }

  get text(): string {
    return this.#text
  }

  write(delta: string): void {
    if (delta === '') return
    const whole = this.#isNewParagraph && this.#text !== '' ? `\n\n${delta}` : delta
    this.#isNewParagraph = false
    this.#text += whole
    this.#step.write(whole)
  }

  /** Puts an empty line before the next delta, if there is one. */
  startParagraph(): void {
    this.#isNewParagraph = true
  }

  restart(): void {
    if (this.#text !== '') this.#step.restart()
    this.#text = ''
    this.#isNewParagraph = false
  }

  /** Discards everything after this earlier text. */
  rewind(text: string): void {
    this.restart()
    this.write(text)
    this.startParagraph()
  }
}
