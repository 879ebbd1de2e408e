import type { ChatTurn, DataType } from './chat-turns.ts'

export interface Outgoing {
  type: DataType
  content: string
  fileIds: readonly string[]
  /** Values of input variables, which the conversation keeps. */
  inputs?: Readonly<Record<string, unknown>> | undefined
}

export interface ChatState {
  /** Undefined until the first message creates one. */
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

/** Whether its message answered a question of a run that an earlier turn began: such a turn cannot be replaced. */
export const answersQuestion = (turns: readonly ChatTurn[], at: number): boolean => {
  const runId = turns[at]?.runId
  return runId !== undefined && turns.findIndex(turn => turn.runId === runId) < at
}

/**
 * The render interval of an answer, whose pieces arrive faster than that. The whole answer is laid out again
 * each time, so long answers are rendered less often.
 */
export function showMilliseconds(turn: ChatTurn | undefined): number {
  if (!turn || !isLive(turn)) return 40
  const length = turn.replies.reduce((sum, { content }) => sum + content.length, 0)
  return Math.min(40 + length / 50, 2000)
}
