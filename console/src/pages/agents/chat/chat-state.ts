import type { ChatTurn, DataType } from './chat-turns.ts'

export interface Outgoing {
  type: DataType
  content: string
  fileIds: readonly string[]
}

export interface ChatState {
  /** Undefined until the first message makes one. */
  conversationId: string | undefined
  turns: readonly ChatTurn[]
  isLoading: boolean
  loadError: unknown
  hasOlder: boolean
}

export const emptyState = (conversationId?: string): ChatState => ({
  conversationId,
  turns: [],
  isLoading: conversationId !== undefined,
  loadError: undefined,
  hasOlder: false,
})

export const isLive = (turn: ChatTurn | undefined): boolean =>
  turn?.phase === 'sending' || turn?.phase === 'answering'
