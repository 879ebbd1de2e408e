import type { Exchange } from '../kernel/exchange.ts'
import type { DatabaseTime } from './database-time.ts'

/** A process that serves this database. */
export interface Member {
  id: string
  /** Host and port. */
  address: string
  version: string
  startedAt: number
  /** When it last reported that it is alive. */
  seenAt: number
}

/**
 * The processes that share one database. Messages only make things fast: they may get lost, so a subscriber also polls.
 * State that must be correct is in the database.
 */
export interface Cluster {
  /** All processes run on this machine, in the usual case this one alone. */
  readonly isAlone: boolean
  /** Whether messages of other processes arrive. */
  readonly isConnected: boolean
  readonly time: DatabaseTime
  /** Sends a message of at most `maxMessageBytes` to all subscribers: those of this process at once, others soon. */
  publish(topic: string, message?: string): void
  subscribe(topic: string, receive: (message: string) => void): () => void
  /** Messages of one topic to and from the other processes alone. */
  exchange(topic: string): Exchange
  /**
   * Does the work, or returns false if this or another process is already doing work of that name. The signal aborts
   * when the lease is lost, which a stalled process notices late: its writes must then fail or change nothing.
   */
  exclusively(name: string, work: (lost: AbortSignal) => Promise<void>): Promise<boolean>
  /**
   * Changes whenever a token, a workspace or the access to an agent may have changed, within a second of the change.
   * Undefined when that is unknown; then nothing that depends on it may be cached.
   */
  accessGeneration(): number | undefined
  /** The living processes, oldest first, this one included. */
  members(): Promise<Member[]>
  /** Joins under this address: from now on it exchanges messages with the others. */
  join(address: string): void
  leave(): Promise<void>
}

/** A message without content: a token, a workspace or the access to an agent may have changed. */
export const accessChanged = 'access'

/** A message with the id of a workspace that was deleted: all work for it ends. */
export const workspaceDeleted = 'workspaces.deleted'

/** PostgreSQL carries up to 8,000 bytes, with the names of the sender and the topic. */
export const maxMessageBytes = 7500
