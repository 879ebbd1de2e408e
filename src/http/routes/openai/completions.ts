import type { openaiOperations as operations } from '../../../contract/openai-operations.ts'
import type { TurnAnswer } from '../../../conversations/turn-events.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { usageOnWire } from '../../../workflow/run/run-event.ts'
import type { Runs } from '../../../workflow/run/run-service.ts'
import type { ServerSentEvent } from '../../event-stream.ts'
import type { Call } from '../../route.ts'
import {
  type CutReason,
  citationFinder,
  cutReason,
  fileUrl,
  gap,
  optionsText,
  textOf,
  UnsentText,
} from './answer-text.ts'
import type { Exchange, StoredExchange } from './exchange.ts'

export type CompletionBody = Call<typeof operations.chatCompletions>['body']

export interface Answering<Of extends StoredExchange = Exchange> {
  runs: Runs
  exchange: Of
  /** The origin of this server, as the client calls it. */
  origin: string
}

export const failureOf = ({ error }: TurnAnswer): AppError | undefined =>
  error && new AppError(error.reason, error.message)

const headOf = ({ id, conversationId, runId }: Exchange, object: string, model: string) => ({
  id: `chatcmpl-${id}`,
  object,
  created: Math.floor(Date.now() / 1000),
  model,
  conversation_id: conversationId,
  run_id: runId,
})

async function annotationsOf({ runs, exchange, origin }: Answering, text: string) {
  const found = await citationFinder(runs, exchange)(text)
  return found.map(({ start, end, fileId, fileName, sourceUrl }) => ({
    type: 'url_citation' as const,
    url_citation: {
      start_index: start,
      end_index: end,
      title: fileName,
      url: sourceUrl ?? fileUrl(origin, fileId),
    },
  }))
}

/** There is none for a run that was stopped: `length` is the one that clients read as a text that breaks off. */
const finishReason = async ({ runs, exchange }: Answering, answer: TurnAnswer): Promise<'stop' | CutReason> =>
  (await cutReason(runs, exchange, answer)) ?? (answer.isStopped ? 'length' : 'stop')

export async function completion(answering: Answering, { model }: CompletionBody, signal: AbortSignal) {
  const { exchange, origin } = answering
  const answer = await exchange.answer(signal)
  const failure = failureOf(answer)
  if (failure) throw failure
  const texts = answer.replies.map(reply => textOf(reply, origin)).filter(text => text !== '')
  const content = texts.join(gap) + optionsText(answer)
  const annotations = await annotationsOf(answering, content)
  const message = {
    role: 'assistant',
    content,
    refusal: null,
    ...(annotations.length > 0 && { annotations }),
  }
  return {
    ...headOf(exchange, 'chat.completion', model),
    choices: [{ index: 0, message, logprobs: null, finish_reason: await finishReason(answering, answer) }],
    usage: usageOnWire(await exchange.usage(signal)),
  }
}

export async function* completionChunks(
  answering: Answering,
  { model, stream_options, run_events = false }: CompletionBody,
  signal: AbortSignal,
): AsyncGenerator<ServerSentEvent> {
  const { exchange, origin } = answering
  const head = headOf(exchange, 'chat.completion.chunk', model)
  const includesUsage = stream_options?.include_usage === true
  const chunk = (members: object): ServerSentEvent => ({
    data: JSON.stringify({ ...head, ...(includesUsage && { usage: null }), ...members }),
  })
  const delta = (piece: object, finish: 'stop' | CutReason | null = null): ServerSentEvent =>
    chunk({ choices: [{ index: 0, delta: piece, logprobs: null, finish_reason: finish }] })
  const joined = new JoinedTexts()

  yield delta({ role: 'assistant', content: '' })
  for await (const event of exchange.events(signal, run_events)) {
    if (event.event === 'run') yield chunk({ choices: [], run_event: JSON.parse(event.run.line) })
    if (event.event === 'delta' || event.event === 'message') {
      const piece =
        event.event === 'delta'
          ? joined.add(event.messageId, event.text, event.reset)
          : joined.add(event.message.id, textOf(event.message, origin), false)
      if (piece !== '') yield delta({ content: piece })
    }
    if (event.event !== 'end') continue
    const failure = failureOf(event.answer)
    if (failure) throw failure
    const options = optionsText(event.answer)
    if (options !== '') yield delta({ content: joined.end(options) })
    const annotations = await annotationsOf(answering, joined.text)
    if (annotations.length > 0) yield delta({ annotations })
    yield delta({}, await finishReason(answering, event.answer))
    if (includesUsage) yield chunk({ choices: [], usage: usageOnWire(await exchange.usage(signal)) })
    yield { data: '[DONE]' }
  }
}

/** Several messages as one text, as a client receives it piece by piece. */
class JoinedTexts {
  text = ''
  readonly #messages = new Map<string, UnsentText>()

  /** The piece that the client gets next. */
  add(messageId: string, text: string, reset: boolean): string {
    const known = this.#messages.get(messageId)
    const message = known ?? new UnsentText()
    this.#messages.set(messageId, message)
    const piece = message.add(text, reset)
    return this.end(known || this.text === '' || piece === '' ? piece : gap + piece)
  }

  end(piece: string): string {
    this.text += piece
    return piece
  }
}
