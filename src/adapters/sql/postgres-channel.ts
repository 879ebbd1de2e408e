import type pg from 'pg'
import { nextTurn, pause } from '../../kernel/pause.ts'
import type { WarnLog } from '../../kernel/warn-log.ts'

const channel = 'banyan'
/** How often the connection is checked, and how long it counts as working after a check. */
const checkMilliseconds = 500
const freshMilliseconds = 1000
const maxBackoffMilliseconds = 2000
/** Messages that wait for the connection. */
const maxOutbox = 10_000

interface ChannelOptions {
  /** Opens a connection that belongs to the channel alone. */
  connect(): Promise<pg.Client>
  receive(payload: string): void
  connected(): void
  /** Read with every check, from the one row of a statement. */
  check: { statement: string; read(row: Record<string, unknown>): void }
  log: WarnLog
}

/**
 * The one connection of a process for messages, in both directions. Messages are sent outside the transactions that they
 * are about: a NOTIFY in a transaction makes all commits of the database queue up behind each other.
 */
export class PostgresChannel {
  readonly #options: ChannelOptions
  #client: pg.Client | undefined
  #checkedAt = Number.NEGATIVE_INFINITY
  #outbox: string[] = []
  #isSending = false
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: ChannelOptions) {
    this.#options = options
  }

  /** Whether the last check was answered, and not long ago. */
  get isConnected(): boolean {
    return performance.now() - this.#checkedAt < freshMilliseconds
  }

  /** Drops the message while there is no connection, or when too many messages wait for it. */
  send(payload: string): void {
    if (!this.#client || this.#outbox.length >= maxOutbox) return
    this.#outbox.push(payload)
    if (!this.#isSending) void this.#sendAll(this.#client)
  }

  async #sendAll(client: pg.Client): Promise<void> {
    this.#isSending = true
    while (this.#outbox.length > 0 && this.#client === client) {
      // Messages that are published in the same turn of the event loop go into one statement.
      await nextTurn()
      const payloads = this.#outbox.splice(0, 500)
      const notify = `SELECT pg_notify('${channel}', payload) FROM unnest($1::text[]) AS payload`
      await this.#query(client, notify, [payloads]).catch(() => this.#lose(client))
    }
    this.#isSending = false
    this.#outbox = []
  }

  /** Stays connected until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    for (let backoff = 100; !signal.aborted; backoff = Math.min(2 * backoff, maxBackoffMilliseconds)) {
      const client = await this.#open().catch((error: unknown) =>
        this.#options.log.warn(
          { err: error },
          'The connection for messages could not be opened; trying again',
        ),
      )
      if (client) {
        backoff = 100
        await this.#keepOpen(client, signal)
        this.#lose(client)
      }
      await pause(backoff, signal)
    }
  }

  async #open(): Promise<pg.Client> {
    const client = await this.#options.connect()
    client.on('error', () => this.#lose(client))
    client.on('end', () => this.#lose(client))
    client.on('notification', ({ payload = '' }) => this.#options.receive(payload))
    try {
      // Every message is a commit, which need not wait for the disk.
      await client.query(`LISTEN ${channel}; SET synchronous_commit = off`)
    } catch (error) {
      this.#lose(client)
      throw error
    }
    this.#client = client
    // Not behind a statement of the previous connection that gets no answer.
    this.#last = Promise.resolve()
    this.#options.connected()
    return client
  }

  async #keepOpen(client: pg.Client, signal: AbortSignal): Promise<void> {
    const { statement, read } = this.#options.check
    while (this.#client === client && !signal.aborted) {
      const startedAt = performance.now()
      try {
        const { rows } = await this.#query(client, statement)
        read(rows[0] ?? {})
        this.#checkedAt = startedAt
      } catch {
        return
      }
      await pause(checkMilliseconds, signal)
    }
  }

  /** One statement at a time, as the driver requires. */
  #query(client: pg.Client, text: string, values?: unknown[]): Promise<pg.QueryResult> {
    const result = this.#last.then(() => client.query(text, values))
    this.#last = result.catch(() => {})
    return result
  }

  /** Also ends a connection whose other end has vanished. */
  #lose(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined
    client.end().catch(() => {})
    const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection
    // After the message that ends the session has had a chance to leave.
    setTimeout(() => stream.destroy(), 100).unref()
  }
}
