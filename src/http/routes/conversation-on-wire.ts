import { Readable } from 'node:stream'
import { conversationFields } from '../../contract/conversation-records.ts'
import { errorCodes } from '../../contract/error-codes.ts'
import type { ChatService } from '../../conversations/chat-service.ts'
import type { Message } from '../../conversations/conversation.ts'
import type { TurnAnswer, TurnEvent } from '../../conversations/turn-events.ts'
import { AppError } from '../../kernel/app-error.ts'
import { nextTurn } from '../../kernel/pause.ts'
import type { RunEvent } from '../../workflow/run/run-event.ts'
import { Answer, jsonHeaders } from '../answer.ts'
import type { ServerSentEvent } from '../event-stream.ts'
import { wireWriter } from '../wire.ts'

type MessageContent = Omit<Message, 'chatId' | 'role'>

/** A message in responses of conversations and runs. */
export const contentOnWire = ({ dataType, content, fileIds, id, at }: MessageContent) => ({
  data_type: dataType,
  content,
  file_list: fileIds,
  message_id: id,
  timestamp: at,
})

/** Which parts of the steps behind an answer a caller may see. */
interface ShownSteps {
  /** The arguments and results of tools. */
  calls: boolean
  reasoning: boolean
  suggestions: boolean
}

const nothingShown: ShownSteps = { calls: false, reasoning: false, suggestions: false }

function stepsOnWire({ steps, suggestions }: Message, shown: ShownSteps) {
  const tools = steps?.tools.map(({ tool, status, ...call }) => ({ tool, status, ...(shown.calls && call) }))
  return {
    ...(tools && tools.length > 0 && { tools }),
    ...(shown.reasoning &&
      steps &&
      steps.reasoning !== '' && {
        reasoning: steps.reasoning,
        reasoning_ms: steps.reasoningMilliseconds,
      }),
    ...(shown.suggestions && suggestions && { suggestions }),
  }
}

export const messageOnWire = (message: Message, shown = nothingShown) => ({
  ...contentOnWire(message),
  role: message.role,
  chat_id: message.chatId,
  ...(message.runId !== undefined && { run_id: message.runId }),
  ...(message.rating !== undefined && { rating: message.rating }),
  ...((message.version ?? 1) > 1 && { version: message.version }),
  ...(message.turnStatus === 'stopped' && message.role === 1 && { stopped: true }),
  ...(message.annotationId !== undefined && { annotation_id: message.annotationId }),
  ...stepsOnWire(message, shown),
})

export const conversationOnWire = wireWriter(conversationFields, { conversation_id: 'id' })

export const answerOnWire = ({ chatId, runId, conversationId, messageId, replies, ...end }: TurnAnswer) => ({
  chat_id: chatId,
  run_id: runId,
  message_id: messageId,
  conversation_id: conversationId,
  feedback: replies.map(contentOnWire),
  ...(end.waiting && { waiting: true, options: end.waiting.options }),
  ...(end.isStopped && { stopped: true }),
  ...(end.annotationId !== undefined && { annotation_id: end.annotationId }),
})

/** A failed turn fails its call; the error includes its id and replies. */
export function failureOf({ error, chatId, runId, messageId, replies }: TurnAnswer): AppError | undefined {
  const data = { chat_id: chatId, run_id: runId, message_id: messageId, feedback: replies.map(contentOnWire) }
  return error && new AppError(error.reason, error.message, { data })
}

const endOnWire = (answer: TurnAnswer) => {
  const { error } = answer
  return error
    ? {
        code: errorCodes[error.reason].code,
        msg: error.message,
        reason: error.reason,
        errors: [],
        ...answerOnWire(answer),
      }
    : { code: 0, msg: 'success', ...answerOnWire(answer) }
}

export const turnOnWire = ({ turn, replies, citations }: Awaited<ReturnType<ChatService['turn']>>) => ({
  ...{ conversation_id: turn.conversationId, chat_id: turn.chatId, status: turn.status },
  feedback: replies.map(contentOnWire),
  citations: citations.map(({ messageId, index, fileName, sourceUrl, content, page, lastPage }) => ({
    ...{ message_id: messageId, index, file_name: fileName, content },
    ...(sourceUrl !== undefined && { source_url: sourceUrl }),
    ...(page !== undefined && { page, last_page: lastPage ?? page }),
  })),
  ...(turn.status === 'waiting' && { options: turn.options ?? [] }),
  ...(turn.annotationId !== undefined && { annotation_id: turn.annotationId }),
  ...(turn.error && { error: turn.error }),
})

type TurnIds = Pick<TurnAnswer, 'chatId' | 'runId' | 'conversationId'>

/** The `end` event of a stream that failed. */
export const failedOnWire = (
  { reason, message, errors }: AppError,
  { chatId, runId, conversationId }: TurnIds,
): ServerSentEvent => ({
  event: 'end',
  data: JSON.stringify({
    ...{ code: errorCodes[reason].code, msg: message, reason, errors },
    ...{ chat_id: chatId, run_id: runId, conversation_id: conversationId, feedback: [] },
  }),
})

const headOf = ({ chatId, runId, conversationId }: TurnIds) => ({
  ...{ code: 0, msg: 'success', chat_id: chatId, run_id: runId, conversation_id: conversationId },
})

/** A call of a tool. Only callers with a token get its arguments and result, which may be confidential. */
export function toolOnWire(
  { seq, fields }: Extract<RunEvent, { event: 'node.tool' }>,
  ids: TurnIds,
  hasToken: boolean,
): ServerSentEvent {
  const { node_id, call, arguments: given, result, ...shown } = fields
  const details = hasToken ? { arguments: given, result } : {}
  const data = { ...headOf(ids), call: `${node_id}:${call}`, ...shown, ...details }
  return { id: seq, event: 'tool', data: JSON.stringify(data) }
}

export const suggestionsOnWire = (
  id: number,
  questions: readonly string[],
  ids: TurnIds,
): ServerSentEvent => ({
  ...{ id, event: 'suggestions', data: JSON.stringify({ ...headOf(ids), questions }) },
})

/** Every event has the form of a response. */
export function eventOnWire(event: TurnEvent, ids: TurnIds): ServerSentEvent {
  const head = headOf(ids)
  const format = (data: object): ServerSentEvent => ({
    id: event.id,
    event: event.event,
    data: JSON.stringify(data),
  })
  switch (event.event) {
    case 'delta': {
      const { messageId, text, at, reset } = event
      const piece = { id: messageId, dataType: 'text', content: text, fileIds: [], at } as const
      return format({ ...head, feedback: [contentOnWire(piece)], ...(reset && { reset: true }) })
    }
    case 'message':
      return format({ ...head, feedback: [contentOnWire(event.message)] })
    case 'run':
      return { id: event.id, event: event.run.event, data: event.run.line }
    case 'end':
      return format(endOnWire(event.answer))
  }
}

/** Most pages fit into one piece. */
const pieceLength = 256 << 10

async function* pieces(
  head: string,
  parts: AsyncIterable<Message[]>,
  shown: ShownSteps,
): AsyncGenerator<string, void> {
  let piece = head
  let separator = ''
  for await (const part of parts)
    for (const message of part) {
      piece += separator + JSON.stringify(messageOnWire(message, shown))
      separator = ','
      if (piece.length < pieceLength) continue
      yield piece
      piece = ''
      // A client that reads fast must not block all others.
      await nextTurn()
    }
  yield `${piece}]}`
}

/** The first piece is read before the response begins, so that an error there has a status. */
export async function messagesAnswer(
  conversationId: string,
  parts: AsyncIterable<Message[]>,
  shown = nothingShown,
): Promise<Answer> {
  const head = `{"code":0,"msg":"success","conversation_id":${JSON.stringify(conversationId)},"retrieve_data":[`
  const writing = pieces(head, parts, shown)
  const first = String((await writing.next()).value)
  const second = await writing.next()
  if (second.done) return new Answer(200, jsonHeaders, first)
  const all = async function* () {
    yield first + second.value
    yield* writing
  }
  return new Answer(200, jsonHeaders, Readable.from(all(), { objectMode: false }))
}
