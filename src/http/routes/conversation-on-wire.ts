import { errorCodes } from '../../contract/error-codes.ts'
import type { Conversation, Message } from '../../conversations/conversation.ts'
import type { TurnAnswer } from '../../conversations/turn-answer.ts'
import type { TurnEvent } from '../../conversations/turn-events.ts'
import { AppError } from '../../kernel/app-error.ts'
import { isoTime } from '../../kernel/clock.ts'
import type { ServerSentEvent } from '../event-stream.ts'

type Said = Omit<Message, 'chatId' | 'role'>

const saidOnWire = ({ dataType, content, fileIds, id, at }: Said) => ({
  data_type: dataType,
  content,
  file_list: fileIds,
  message_id: id,
  timestamp: at,
})

export const messageOnWire = (message: Message) => ({
  ...saidOnWire(message),
  role: message.role,
  chat_id: message.chatId,
  ...(message.runId !== undefined && { run_id: message.runId }),
  ...(message.rating !== undefined && { rating: message.rating }),
})

export const conversationOnWire = (conversation: Conversation) => ({
  conversation_id: conversation.id,
  agent_id: conversation.agentId,
  user_id: conversation.userId,
  env_type: conversation.envType,
  name: conversation.name,
  message_count: conversation.messageCount,
  created_at: isoTime(conversation.createdAt),
  updated_at: isoTime(conversation.updatedAt),
})

export const answerOnWire = ({ chatId, runId, conversationId, messageId, replies, waiting }: TurnAnswer) => ({
  chat_id: chatId,
  run_id: runId,
  message_id: messageId,
  conversation_id: conversationId,
  feedback: replies.map(saidOnWire),
  ...(waiting && { waiting: true, options: waiting.options }),
})

/** A failed turn fails its call, but its id and what was said go along. */
export function failureOf({ error, chatId, runId, messageId, replies }: TurnAnswer): AppError | undefined {
  const data = { chat_id: chatId, run_id: runId, message_id: messageId, feedback: replies.map(saidOnWire) }
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

interface Heard {
  chatId: string
  runId: string
  conversationId: string
}

/** The end of a stream that was broken off, in the form of the end. */
export const brokenOnWire = (
  { reason, message, errors }: AppError,
  { chatId, runId, conversationId }: Heard,
): ServerSentEvent => ({
  event: 'end',
  data: JSON.stringify({
    ...{ code: errorCodes[reason].code, msg: message, reason, errors },
    ...{ chat_id: chatId, run_id: runId, conversation_id: conversationId, feedback: [] },
  }),
})

/** Every event has the form of an answer. */
export function eventOnWire(event: TurnEvent, { chatId, runId, conversationId }: Heard): ServerSentEvent {
  const head = { code: 0, msg: 'success', chat_id: chatId, run_id: runId, conversation_id: conversationId }
  const print = (data: object): ServerSentEvent => ({
    id: event.id,
    event: event.event,
    data: JSON.stringify(data),
  })
  switch (event.event) {
    case 'delta': {
      const { messageId, text, at, reset } = event
      const piece = { id: messageId, dataType: 'text', content: text, fileIds: [], at } as const
      return print({ ...head, feedback: [saidOnWire(piece)], ...(reset && { reset: true }) })
    }
    case 'message':
      return print({ ...head, feedback: [saidOnWire(event.message)] })
    case 'end':
      return print(endOnWire(event.answer))
  }
}
