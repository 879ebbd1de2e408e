import { accessChanged, type Cluster, type Member } from '../../cluster/cluster.ts'
import { DatabaseTime } from '../../cluster/database-time.ts'
import { LeaseLost, processName } from '../../cluster/lease-name.ts'
import { type Leased, LeaseTable } from '../../cluster/lease-table.ts'
import { Leases, leaseMilliseconds } from '../../cluster/leases.ts'
import { MessageBus } from '../../cluster/message-bus.ts'
import { raw } from '../../database/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Exchange } from '../../kernel/exchange.ts'
import { pause } from '../../kernel/pause.ts'
import type { WarnLog } from '../../kernel/warn-log.ts'
import { PostgresChannel } from './postgres-channel.ts'
import type { PostgresDatabase } from './postgres-database.ts'

const heartbeatMilliseconds = leaseMilliseconds / 3
/** The rows of crashed processes are removed after this long. */
const removalMilliseconds = 4 * leaseMilliseconds

const memberColumns = 'id, address, version, started_at AS "startedAt", seen_at AS "seenAt"'

interface PostgresClusterOptions {
  id?: string
  clock: Clock
  version: string
  log: WarnLog
}

/** Any number of processes on PostgreSQL. */
export class PostgresCluster implements Cluster {
  readonly isAlone = false
  readonly time: DatabaseTime
  readonly #database: PostgresDatabase
  readonly #version: string
  readonly #log: WarnLog
  readonly #id: string
  readonly #bus = new MessageBus()
  readonly #channel: PostgresChannel
  readonly #leases: Leases<{ name: string }>
  readonly #leaving = new AbortController()
  #working: Promise<unknown> | undefined
  #accessChanges: unknown
  #generation = 0
  #others = 0
  #address = ''
  #startedAt: number | undefined

  constructor(database: PostgresDatabase, { id = processName, clock, version, log }: PostgresClusterOptions) {
    this.#id = id
    this.#database = database
    this.#version = version
    this.#log = log
    this.time = new DatabaseTime(clock, () => database.time())
    const rows = new LeaseTable<{ name: string }>(database, {
      table: raw('cluster_leases'),
      key: { name: 'name' },
    })
    this.#leases = new Leases({ rows, cluster: this, log, subject: 'exclusive work' })
    this.#channel = new PostgresChannel({
      connect: () => database.connect(),
      receive: payload => this.#receive(payload),
      // The others count the members again.
      connected: () =>
        void this.#beat().then(
          () => this.#send('members', ''),
          () => {},
        ),
      check: {
        statement: 'SELECT count FROM access_changes',
        read: ({ count }) => {
          if (count !== this.#accessChanges) this.#generation++
          this.#accessChanges = count
        },
      },
      log,
    })
    this.#bus.subscribe(accessChanged, () => this.#generation++)
    this.#bus.subscribe('members', () => void this.#countOthers().catch(() => {}))
  }

  get isConnected(): boolean {
    return this.#channel.isConnected
  }

  publish(topic: string, message = ''): void {
    this.#bus.deliver(topic, message)
    this.#sendToOthers(topic, message)
  }

  exchange(topic: string): Exchange {
    return {
      send: message => this.#sendToOthers(topic, message),
      receive: handler => void this.#bus.subscribe(topic, handler),
    }
  }

  #sendToOthers(topic: string, message: string): void {
    if (this.#others > 0) this.#send(topic, message)
  }

  #send(topic: string, message: string): void {
    this.#channel.send(`${this.#id}\t${topic}\t${message}`)
  }

  subscribe(topic: string, receive: (message: string) => void): () => void {
    return this.#bus.subscribe(topic, receive)
  }

  #receive(payload: string): void {
    const [sender = '', topic = ''] = payload.split('\t', 2)
    if (sender === this.#id) return
    try {
      this.#bus.deliver(topic, payload.slice(sender.length + topic.length + 2))
    } catch (error) {
      // Another version, or another program on the same channel, may send something else than expected.
      this.#log.warn({ err: error, sender, topic }, 'A message of another server could not be read')
    }
  }

  async exclusively(name: string, work: (lost: AbortSignal) => Promise<void>): Promise<boolean> {
    const leased = { name, lease: this.#leases.mint() }
    try {
      if (!(await this.#claim(leased))) return false
      await this.#workWith(leased, work)
      return true
    } finally {
      this.#leases.drop(leased.lease)
    }
  }

  async #workWith(
    leased: Leased<{ name: string }>,
    work: (lost: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { name, lease } = leased
    const lost = new AbortController()
    this.#leases.keep(leased, { lost: () => lost.abort(new LeaseLost('Another process does this work')) })
    try {
      await work(lost.signal)
    } finally {
      await this.#write('DELETE FROM cluster_leases WHERE name = ? AND lease = ?', name, lease).catch(
        (error: unknown) =>
          this.#log.warn({ err: error, name }, 'A lease could not be released; it runs out'),
      )
    }
  }

  /** Reads first, so that a process that does not get the lease does not write. */
  async #claim({ name, lease }: Leased<{ name: string }>): Promise<boolean> {
    await this.time.refresh()
    const now = this.time.now()
    const held = await this.#database.get<{ lease: string; due_at: number }>(
      'SELECT lease, due_at FROM cluster_leases WHERE name = ?',
      name,
    )
    const until = this.#leases.until()
    if (!held) {
      const insert =
        'INSERT INTO cluster_leases (name, lease, due_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
      return (await this.#write(insert, name, lease, until)) === 1
    }
    if (held.due_at > now || !this.#leases.mayTakeOver(held.lease)) return false
    const claim =
      'UPDATE cluster_leases SET lease = ?, due_at = ? WHERE name = ? AND lease = ? AND due_at = ?'
    return (await this.#write(claim, lease, until, name, held.lease, held.due_at)) === 1
  }

  #write(statement: string, ...values: (string | number)[]): Promise<number> {
    return this.#database.transaction(transaction => transaction.run(statement, ...values))
  }

  accessGeneration(): number | undefined {
    return this.isConnected ? this.#generation : undefined
  }

  async members(): Promise<Member[]> {
    await this.time.refresh()
    const since = this.time.now() - leaseMilliseconds
    const select = `SELECT ${memberColumns} FROM cluster_members WHERE seen_at > ? ORDER BY started_at, id`
    return this.#database.all<Member>(select, since)
  }

  async #countOthers(): Promise<void> {
    this.#others = (await this.members()).filter(({ id }) => id !== this.#id).length
  }

  join(address: string): void {
    const { signal } = this.#leaving
    this.#address = address
    this.#working = Promise.all([
      this.#stayAlive(signal),
      this.#channel.run(signal),
      this.#leases.run(signal),
    ])
  }

  async #stayAlive(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#beat().catch((error: unknown) =>
        this.#log.warn({ err: error }, 'The heartbeat of this server could not be written; trying again'),
      )
      await pause(heartbeatMilliseconds, signal)
    }
  }

  async #beat(): Promise<void> {
    await this.time.refresh()
    const now = this.time.now()
    this.#startedAt ??= now
    await this.#database.transaction(async transaction => {
      await transaction.run(
        `INSERT INTO cluster_members (id, address, version, started_at, seen_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET seen_at = GREATEST(cluster_members.seen_at, excluded.seen_at)`,
        ...[this.#id, this.#address, this.#version, this.#startedAt!, now],
      )
      await transaction.run(
        `DELETE FROM cluster_members WHERE id IN
           (SELECT id FROM cluster_members WHERE seen_at < ? FOR UPDATE SKIP LOCKED)`,
        now - removalMilliseconds,
      )
    })
    await this.#countOthers()
  }

  async leave(): Promise<void> {
    this.#leaving.abort()
    await this.#working
    if (this.#working) await this.#write('DELETE FROM cluster_members WHERE id = ?', this.#id).catch(() => {})
  }
}
