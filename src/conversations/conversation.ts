import type { Reason } from '../contract/error-codes.ts'
import type { MessageType } from '../workflow/step.ts'

export interface Conversation {
  id: string
  agentId: string
  userId: string
  /** Where the client says it talks from. */
  envType: string
  name: string
  messageCount: number
  /** The turn that runs now. */
  activeChatId: string | undefined
  /** A run that asked something: the next turn answers it. */
  waitingRunId: string | undefined
  createdAt: number
  updatedAt: number
}

/** As the wire counts them: 0 is the user, 1 the agent. */
export type MessageRole = 0 | 1

export interface Message {
  id: string
  chatId: string
  role: MessageRole
  dataType: MessageType
  content: string
  fileIds: readonly string[]
  /** When it was said, by the clock of whoever said it. */
  at: number
  /** The run of its turn; told where messages are read. */
  runId?: string | undefined
  /** What somebody thought of it; told where messages are read. */
  rating?: Rating | undefined
}

/** `waiting`: it ended with a question that the next turn answers. */
export type TurnStatus = 'active' | 'done' | 'waiting' | 'failed' | 'stopped'

export interface TurnError {
  reason: Reason
  message: string
}

/** One message of the user with everything that is said to it. */
export interface Turn {
  conversationId: string
  chatId: string
  runId: string
  status: TurnStatus
  /** Where the user's message stands, and the last reply. */
  firstPosition: number
  lastPosition: number
  /** The events of the run that came later than this number belong to this turn. */
  eventsAfter: number
  error: TurnError | undefined
  /** What the question of a waiting turn offers. */
  options: readonly string[] | undefined
  /** Made without a token: its failures say nothing of how the server is set up. */
  isAnonymous: boolean
  /** Of what was sent under an Idempotency-Key; empty where there was none. */
  fingerprint: string
  createdAt: number
}

export const ratings = ['like', 'dislike'] as const
export type Rating = (typeof ratings)[number]
