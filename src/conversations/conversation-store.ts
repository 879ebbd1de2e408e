import type { Page, PageRequest } from '../contract/paging.ts'
import type { Conversation, Message, Rating, Turn, TurnError, TurnStatus } from './conversation.ts'

export interface NewTurn {
  conversationId: string
  chatId: string
  /** The run it gets, unless one waits for it. */
  runId: string
  /** The user's message. Its id is only a wish: one that is taken gives way to `spareId`. */
  message: Omit<Message, 'chatId' | 'role'>
  spareId: string
  /** The name of the conversation, where it has none yet. */
  name: string
  isAnonymous: boolean
  fingerprint: string
  /** A turn with this id that failed as `unavailable` is begun again, with this message in the place of that one. */
  begunAgain: boolean
  at: number
}

export type Begun =
  | { outcome: 'begun'; turn: Turn; waitingRunId: string | undefined }
  /** There is a turn with this id already. */
  | { outcome: 'seen'; turn: Turn }
  | { outcome: 'busy'; active: Turn }
  | { outcome: 'gone' }

export interface TurnEnd {
  status: Exclude<TurnStatus, 'active'>
  error?: TurnError | undefined
  /** What is said at the end, unless a message with its id is stored already. */
  reply?: Omit<Message, 'chatId' | 'role'> | undefined
  /** The run that waits now, null for none; left out, it stays as it is. */
  waitingRunId?: string | null
  at: number
}

export interface OrphanedRuns {
  activeRunId: string | undefined
  waitingRunId: string | undefined
}

/** What a step of the sweep found. */
export interface Swept {
  /** Whether there may be more to remove. */
  isMore: boolean
  /** Runs that work for conversations which went with their agent. */
  orphans: readonly { workspaceId: string; runId: string }[]
}

/** Where to go on among active turns: behind this one. */
export type ActiveTurn = { workspaceId: string; turn: Turn }

export interface ConversationFilter {
  /** Only those of these agents. */
  agentIds?: readonly string[] | undefined
  userId?: string | undefined
  keyword: string
}

/** A deleted conversation, or one of a deleted agent, is never found and never written to. */
export interface ConversationStore {
  /** False when its agent is gone. */
  create(workspaceId: string, conversation: Conversation): Promise<boolean>
  find(workspaceId: string, id: string): Promise<Conversation | undefined>
  /** The last changed first. */
  list(workspaceId: string, filter: ConversationFilter, page: PageRequest): Promise<Page<Conversation>>
  rename(workspaceId: string, id: string, name: string): Promise<boolean>
  /** Hides it at once; the rest is left to `sweep`. Gives the runs that work for it now. */
  remove(workspaceId: string, id: string, at: number): Promise<OrphanedRuns | undefined>

  /** So many messages up to this position, oldest first. */
  messages(
    workspaceId: string,
    id: string,
    last: number,
    limit: number,
    /** Also what is known of each beside it: its run and its rating. */
    withDetails?: boolean,
  ): Promise<Message[]>

  /** Stores the user's message and makes the turn the active one, if no other is; all in one. */
  beginTurn(workspaceId: string, turn: NewTurn): Promise<Begun>
  findTurn(workspaceId: string, conversationId: string, chatId: string): Promise<Turn | undefined>
  /** Everything said in a turn so far, the user's message first. */
  turnMessages(workspaceId: string, turn: Turn): Promise<Message[]>
  /** Binds an active turn to another run. */
  aimTurn(workspaceId: string, turn: Turn, runId: string, eventsAfter: number): Promise<void>
  /** False when a message with this id is there already, or the conversation is not. */
  addReply(
    workspaceId: string,
    conversationId: string,
    chatId: string,
    reply: Omit<Message, 'chatId' | 'role'>,
  ): Promise<boolean>
  /** Ends an active turn and frees its conversation. False when it has ended already. */
  endTurn(workspaceId: string, conversationId: string, chatId: string, end: TurnEnd): Promise<boolean>
  /** Takes an active turn back with its message, as if it had never been sent. False where something was said since. */
  undoTurn(workspaceId: string, conversationId: string, chatId: string): Promise<boolean>
  setOptions(workspaceId: string, turn: Turn, options: readonly string[]): Promise<void>
  /** Turns that began before and still run, of any workspace, oldest first, so many at most, behind a given one. */
  activeTurns(begunBefore: number, limit: number, behind?: ActiveTurn): Promise<ActiveTurn[]>

  /** What was assigned to `memory` for this user. */
  memory(workspaceId: string, conversationId: string, userId: string): Promise<Map<string, unknown>>
  remember(
    workspaceId: string,
    conversationId: string,
    userId: string,
    values: ReadonlyMap<string, unknown>,
    at: number,
  ): Promise<void>

  /** A rating of null and no comment take it back. False when there is no such message. */
  rate(
    workspaceId: string,
    conversationId: string,
    messageId: string,
    rating: { rating: Rating | null; comment: string; at: number },
  ): Promise<boolean>

  /** Removes some of what nobody can reach any more. */
  sweep(): Promise<Swept>
}
