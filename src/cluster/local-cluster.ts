import type { Database } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Exchange, noExchange } from '../kernel/exchange.ts'
import type { Cluster, Member } from './cluster.ts'
import { DatabaseTime } from './database-time.ts'
import { processName } from './lease-name.ts'
import { MessageBus } from './message-bus.ts'

/**
 * One process on SQLite. Another one on the same file, such as the command line, is not a member: it finds what it needs
 * by polling.
 */
export class LocalCluster implements Cluster {
  readonly isAlone = true
  readonly isConnected = true
  readonly time: DatabaseTime
  readonly #database: Pick<Database, 'generation'>
  readonly #clock: Clock
  readonly #bus = new MessageBus()
  readonly #exclusive = new Set<string>()
  readonly #self: Member

  constructor(database: Pick<Database, 'generation' | 'time'>, clock: Clock, version: string) {
    this.#database = database
    this.#clock = clock
    this.time = new DatabaseTime(clock, () => database.time())
    const startedAt = clock.now()
    this.#self = { id: processName, address: '', version, startedAt, seenAt: startedAt }
  }

  publish(topic: string, message = ''): void {
    this.#bus.deliver(topic, message)
  }

  subscribe(topic: string, receive: (message: string) => void): () => void {
    return this.#bus.subscribe(topic, receive)
  }

  exchange(): Exchange {
    return noExchange
  }

  async exclusively(name: string, work: (lost: AbortSignal) => Promise<void>): Promise<boolean> {
    if (this.#exclusive.has(name)) return false
    this.#exclusive.add(name)
    try {
      await work(new AbortController().signal)
      return true
    } finally {
      this.#exclusive.delete(name)
    }
  }

  accessGeneration(): number | undefined {
    return this.#database.generation()
  }

  async members(): Promise<Member[]> {
    return [{ ...this.#self, seenAt: this.#clock.now() }]
  }

  join(address: string): void {
    this.#self.address = address
  }

  async leave(): Promise<void> {}
}
