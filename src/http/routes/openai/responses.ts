import type { openaiOperations as operations } from '../../../contract/openai-operations.ts'
import type { TurnAnswer } from '../../../conversations/turn-events.ts'
import type { AppError } from '../../../kernel/app-error.ts'
import type { TokenUsage } from '../../../workflow/step.ts'
import type { ServerSentEvent } from '../../event-stream.ts'
import { openaiError } from '../../openai-error.ts'
import type { Call } from '../../route.ts'
import { type CutReason, citationFinder, cutReason, optionsText, textOf, UnsentText } from './answer-text.ts'
import { type Answering, failureOf } from './completions.ts'
import type { StoredExchange } from './exchange.ts'
import { idPart } from './item-ids.ts'

export type ResponseBody = Call<typeof operations.responses>['body']

type Annotation = { type: 'file_citation'; file_id: string; filename: string; index: number }

const outputText = (text: string, annotations: readonly Annotation[]) => ({
  type: 'output_text',
  text,
  annotations,
  logprobs: [],
})

type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

const outputMessage = (id: string, status: ItemStatus, content: readonly object[]) => ({
  type: 'message',
  id,
  status,
  role: 'assistant',
  content,
})

/** The id of a message as an item, which a later request may refer to. The whole answer of a run has no message. */
function itemId({ id, conversationId }: StoredExchange, messageId: string): string {
  if (conversationId !== '') return `msg_${idPart(conversationId)}${idPart(messageId)}`
  return messageId === '' ? `msg_${id}` : `msg_${id}_${idPart(messageId)}`
}

export interface Final {
  status: 'in_progress' | 'completed' | 'failed' | 'cancelled'
  output?: readonly object[]
  usage?: TokenUsage
  error?: AppError | undefined
  /** Why it is not complete, although it ended without an error. */
  cutBy?: CutReason | undefined
}

const incompleteReasons = { length: 'max_output_tokens', content_filter: 'content_filter' } as const

const statusOf = ({ status, cutBy }: Final) => (status === 'completed' && cutBy ? 'incomplete' : status)

const endOf = ({ isStopped }: TurnAnswer): Final['status'] => (isStopped ? 'cancelled' : 'completed')

export function responseOf(
  exchange: StoredExchange,
  body: Omit<ResponseBody, 'input'>,
  createdAt: number,
  final: Final,
) {
  const { usage, error, cutBy } = final
  const status = statusOf(final)
  return {
    id: `resp_${exchange.id}`,
    object: 'response',
    created_at: createdAt,
    status,
    model: body.model,
    output: final.output ?? [],
    previous_response_id: body.previous_response_id ?? null,
    conversation: exchange.conversationId === '' ? null : { id: exchange.conversationId },
    instructions: body.instructions ?? null,
    metadata: body.metadata ?? {},
    error: error ? { code: openaiError(error).error.code, message: error.message } : null,
    incomplete_details: status === 'incomplete' && cutBy ? { reason: incompleteReasons[cutBy] } : null,
    usage: usage
      ? {
          input_tokens: usage.promptTokens,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: usage.completionTokens,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: usage.promptTokens + usage.completionTokens,
        }
      : null,
    tools: [],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    temperature: null,
    top_p: null,
    store: true,
    run_id: exchange.runId,
  }
}

const now = (): number => Math.floor(Date.now() / 1000)

/** The texts of the agent, one for each message, with what they cite, and why the last one is not complete. */
async function outputTexts(answering: Answering<StoredExchange>, answer: TurnAnswer) {
  const { runs, exchange, origin } = answering
  const citationsOf = citationFinder(runs, exchange)
  const cutBy = await cutReason(runs, exchange, answer)
  const isCut = cutBy !== undefined || answer.isStopped
  const cutReply = isCut && answer.replies.findLast(({ dataType }) => dataType === 'text')
  const shown = answer.replies.map(reply => {
    const status: ItemStatus = reply === cutReply ? 'incomplete' : 'completed'
    return { id: reply.id, text: textOf(reply, origin), status }
  })
  const texts = shown.filter(({ text }) => text !== '')
  const last = texts.at(-1)
  if (last) last.text += optionsText(answer)
  const cited = await Promise.all(
    texts.map(async ({ id, text, status }) => {
      const annotations = (await citationsOf(text)).map(
        ({ start, fileId, fileName }): Annotation => ({
          ...{ type: 'file_citation', file_id: fileId, filename: fileName, index: start },
        }),
      )
      return { id, text, annotations, status }
    }),
  )
  return { texts: cited, cutBy }
}

export async function response(answering: Answering, body: ResponseBody, signal: AbortSignal) {
  const { exchange } = answering
  const createdAt = now()
  const answer = await exchange.answer(signal)
  const failure = failureOf(answer)
  if (failure) throw failure
  const final = { status: endOf(answer), ...(await outputOf(answering, answer, signal)) }
  return responseOf(exchange, body, createdAt, final)
}

/** The items of a whole answer, and what it used. */
export async function outputOf(
  answering: Answering<StoredExchange>,
  answer: TurnAnswer,
  signal: AbortSignal,
): Promise<Pick<Final, 'output' | 'usage' | 'cutBy'>> {
  const { exchange } = answering
  const { texts, cutBy } = await outputTexts(answering, answer)
  const output = texts.map(({ id, text, annotations, status }) =>
    outputMessage(itemId(exchange, id), status, [outputText(text, annotations)]),
  )
  return { output, usage: await exchange.usage(signal), cutBy }
}

class StreamedItem {
  readonly unsent = new UnsentText()
  readonly id: string
  readonly place: { item_id: string; output_index: number; content_index: 0 }
  text = ''

  constructor(id: string, index: number) {
    this.id = id
    this.place = { item_id: id, output_index: index, content_index: 0 }
  }
}

export class ResponseStream {
  readonly #answering: Answering
  readonly #body: ResponseBody
  readonly #createdAt = now()
  readonly #items = new Map<string, StreamedItem>()
  #sequence = 0

  constructor(answering: Answering, body: ResponseBody) {
    this.#answering = answering
    this.#body = body
  }

  async *events(signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    const { exchange, origin } = this.#answering
    yield this.#event('response.created', { response: this.#response({ status: 'in_progress' }) })
    yield this.#event('response.in_progress', { response: this.#response({ status: 'in_progress' }) })
    for await (const event of exchange.events(signal, this.#body.run_events ?? false)) {
      if (event.event === 'run')
        yield this.#event('response.run_event', { run_event: JSON.parse(event.run.line) })
      if (event.event === 'delta') yield* this.#add(event.messageId, event.text, event.reset)
      if (event.event === 'message') yield* this.#add(event.message.id, textOf(event.message, origin), false)
      if (event.event !== 'end') continue
      const failure = failureOf(event.answer)
      if (failure) yield this.failure(failure)
      else yield* this.#complete(event.answer, signal)
    }
  }

  /** The last event of a response that failed. */
  failure(error: AppError): ServerSentEvent {
    return this.#event('response.failed', { response: this.#response({ status: 'failed', error }) })
  }

  *#add(messageId: string, text: string, reset: boolean): Generator<ServerSentEvent> {
    const known = this.#items.get(messageId)
    const item = known ?? new StreamedItem(itemId(this.#answering.exchange, messageId), this.#items.size)
    const delta = item.unsent.add(text, reset)
    if (delta === '') return
    const { id, place } = item
    if (!known) {
      this.#items.set(messageId, item)
      const { output_index } = place
      const added = outputMessage(id, 'in_progress', [])
      yield this.#event('response.output_item.added', { output_index, item: added })
      yield this.#event('response.content_part.added', { ...place, part: outputText('', []) })
    }
    item.text += delta
    yield this.#event('response.output_text.delta', { ...place, delta, logprobs: [] })
  }

  async *#complete(answer: TurnAnswer, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    const { exchange } = this.#answering
    const output: object[] = []
    const { texts, cutBy } = await outputTexts(this.#answering, answer)
    for (const { id, text, annotations, status } of texts) {
      const streamed = this.#items.get(id)?.text ?? ''
      // Text that was not streamed, such as the options of a question.
      if (text.startsWith(streamed)) yield* this.#add(id, text.slice(streamed.length), false)
      const item = this.#items.get(id)
      if (!item) continue
      const { place } = item
      for (const [annotation_index, annotation] of annotations.entries())
        yield this.#event('response.output_text.annotation.added', { ...place, annotation_index, annotation })
      yield this.#event('response.output_text.done', { ...place, text, logprobs: [] })
      const part = outputText(text, annotations)
      yield this.#event('response.content_part.done', { ...place, part })
      const done = outputMessage(item.id, status, [part])
      const { output_index } = place
      yield this.#event('response.output_item.done', { output_index, item: done })
      output.push(done)
    }
    const usage = await exchange.usage(signal)
    const response = this.#response({ status: endOf(answer), output, usage, cutBy })
    // There is no event of its own for a response that was cancelled.
    yield this.#event(`response.${response.status === 'completed' ? 'completed' : 'incomplete'}`, {
      response,
    })
  }

  #response(final: Final) {
    return responseOf(this.#answering.exchange, this.#body, this.#createdAt, final)
  }

  #event(type: string, members: object): ServerSentEvent {
    const data = JSON.stringify({ type, sequence_number: this.#sequence++, ...members })
    return { event: type, data }
  }
}
