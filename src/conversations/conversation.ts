import type { Reason } from '../contract/error-codes.ts'
import { limits } from '../contract/limits.ts'
import { type ColumnType, flag, integer, json, optional, type RowOf, table, text } from '../database/table.ts'
import type { MessageType } from '../workflow/step.ts'
import type { TurnSteps } from './answer-steps.ts'

export const conversations = table('conversations', {
  workspaceId: text(),
  id: text(),
  agentId: text(),
  userId: text(),
  /** The environment that the client reports. */
  envType: text(),
  name: text(),
  search: text(),
  messageCount: integer(),
  activeChatId: optional(text()),
  /** A run that asked the user something: the next turn resumes it. */
  waitingRunId: optional(text()),
  createdAt: integer(),
  updatedAt: integer(),
  deletedAt: optional(integer()),
  /** Values of input variables, for all runs of the conversation. */
  inputs: optional(json<Readonly<Record<string, unknown>>>()),
})
export type Conversation = Omit<
  RowOf<typeof conversations>,
  'workspaceId' | 'search' | 'deletedAt' | 'inputs'
>
/** A conversation with the values of its input variables, which may be long. */
export type ConversationWithInputs = Conversation & Pick<RowOf<typeof conversations>, 'inputs'>

/** As on the wire: 0 is the user, 1 the agent. */
export type MessageRole = 0 | 1

/** Decodes the common empty list without parsing: pages of a thousand messages are read, and most have no files. */
const fileIdList: ColumnType<readonly string[]> = {
  stored: 'text',
  encode: ids => JSON.stringify(ids),
  decode: stored => (stored === '[]' ? [] : (JSON.parse(stored as string) as string[])),
}

export const messages = table('messages', {
  workspaceId: text(),
  conversationId: text(),
  /** From 1 and without gaps, so that a page is one range of the index. */
  position: integer(),
  id: text(),
  chatId: text(),
  role: integer() as ColumnType<MessageRole>,
  dataType: text<MessageType>(),
  content: text(),
  fileList: fileIdList,
  saidAt: integer(),
})

/** The messages of turns that were replaced, under the id of the turn that took their place. */
export const replacedMessages = table('replaced_messages', {
  ...{ workspaceId: text(), conversationId: text(), replacedBy: text(), position: integer() },
  ...{ id: text(), chatId: text(), role: messages.types.role, dataType: messages.types.dataType },
  ...{ content: text(), fileList: fileIdList, saidAt: integer() },
})

/** The conversations that a file was sent in. */
export const messageFiles = table('message_files', {
  workspaceId: text(),
  conversationId: text(),
  fileId: text(),
})

export interface Message extends MessageDetails {
  id: string
  chatId: string
  role: MessageRole
  dataType: MessageType
  content: string
  fileIds: readonly string[]
  /** When it was sent, by the sender's clock. */
  at: number
}

/** Of the turn and the feedback, where messages are read with details. */
interface MessageDetails {
  runId?: string | undefined
  rating?: Rating | undefined
  /** The user's reason for the rating. */
  comment?: string | undefined
  /** 1 if the turn replaced none. */
  version?: number | undefined
  turnStatus?: TurnStatus | undefined
  annotationId?: string | undefined
  /** With the first reply of a turn, as the suggestions. */
  steps?: TurnSteps | undefined
  suggestions?: readonly string[] | undefined
}

export type NewMessage = Pick<Message, 'id' | 'dataType' | 'content' | 'fileIds' | 'at'>

/** `waiting`: it ended with a question that the next turn answers. */
export type TurnStatus = 'active' | 'done' | 'waiting' | 'failed' | 'stopped'

export interface TurnError {
  reason: Reason
  message: string
}

export const turns = table('turns', {
  workspaceId: text(),
  conversationId: text(),
  chatId: text(),
  runId: text(),
  status: text<TurnStatus>(),
  /** Positions of the user's message and of the last reply. */
  firstPosition: integer(),
  lastPosition: integer(),
  /** The events of the run after this sequence number belong to the turn. */
  eventsAfter: integer(),
  errorReason: optional(text<Reason>()),
  errorMessage: optional(text()),
  /** The options of the question that a waiting turn ended with. */
  options: optional(json<readonly string[]>()),
  createdAt: integer(),
  /** The turn had no token: the reasons of its failures are not shown. */
  isAnonymous: flag(),
  /** Hash of the user's message, to recognize another one under the same `chat_id`; empty in old turns. */
  fingerprint: text(),
  /** The turn that took its place: its messages are in `replaced_messages`. */
  replacedBy: optional(text()),
  /** From 1; one more than that of the turn that it replaced. */
  version: integer(),
  /** The next questions that a model proposed after the answer. */
  suggestions: optional(json<readonly string[]>()),
  /** The annotation that answered it. */
  annotationId: optional(text()),
  /** The tool calls and reasoning behind the answer, for the chat. */
  steps: optional(json<TurnSteps>()),
})

/** One message of the user with all replies to it. */
export type Turn = Omit<RowOf<typeof turns>, 'errorReason' | 'errorMessage' | 'steps'> & {
  error: TurnError | undefined
}

export type TurnKey = Pick<Turn, 'workspaceId' | 'conversationId' | 'chatId'>

/** The values that workflows assigned to `memory`, by user. */
export const conversationMemory = table('conversation_memory', {
  workspaceId: text(),
  conversationId: text(),
  userId: text(),
  key: text(),
  value: json<unknown>(),
  updatedAt: integer(),
})

/** The values that they had before a turn first assigned them; `position` is that of the user's message. */
export const earlierMemory = table('earlier_memory', {
  ...{ workspaceId: text(), conversationId: text(), position: integer(), chatId: text(), userId: text() },
  ...{ key: text(), value: optional(json<unknown>()) },
})

export type Rating = 'like' | 'dislike'

export const feedback = table('feedback', {
  workspaceId: text(),
  conversationId: text(),
  messageId: text(),
  rating: optional(text<Rating>()),
  comment: text(),
  updatedAt: integer(),
})

/** Text that every database can store: models and services may return NUL characters or unpaired surrogates. */
export const storableText = (value: string): string => value.toWellFormed().replaceAll('\0', '')

const truncationNotice = '\n\n[内容过长，其余未保存 Too long: the rest was not stored]'

/** Limits the length of a reply, because replies are read as a whole and in pages of a thousand. */
export const limitedReply = (value: string): string =>
  value.length <= limits.replyLength
    ? value
    : value.slice(0, limits.replyLength).toWellFormed() + truncationNotice
