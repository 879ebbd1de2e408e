import type { Database } from '../database/database.ts'
import { Columns, type Query, type RawSql, raw, sql } from '../database/sql.ts'
import { pause } from '../kernel/pause.ts'
import { WakeLoop } from '../kernel/wake-loop.ts'
import type { WarnLog } from '../kernel/warn-log.ts'
import type { Cluster } from './cluster.ts'
import { newLease } from './lease-name.ts'
import type { Leased } from './lease-table.ts'
import { leaseMilliseconds } from './leases.ts'

/** The order in which rows of a queue are claimed: workspaces take turns, each with what is due longest. */
export const byTurns = raw('row_number() OVER (PARTITION BY workspace_id ORDER BY due_at), due_at')

interface Due {
  workspaceId: string
  id: string
}

export type DueRow = Due & { dueAt: number }

/** The holder of a row; every write of it compares the lease. */
export type HeldRow = Leased<Due>

const dueColumns = new Columns<DueRow>('workspace_id AS "workspaceId", id, due_at AS "dueAt"', [])

/** A queue in a table: `due_at` is when a row may be claimed, or when the lease of its holder ends. */
interface DueRows<Row> {
  due(now: number): Promise<DueRow[]>
  /** Undefined when another process was faster. */
  claim(row: DueRow, lease: string, until: number): Promise<Row | undefined>
}

export const dueRows = <Row>(database: Database, table: RawSql, columns: Columns<Row>): DueRows<Row> => ({
  due: now =>
    database.all(sql`
      SELECT ${dueColumns} FROM ${table} WHERE due_at <= ${now} ORDER BY ${byTurns} LIMIT ${raw('20')}`),
  claim: ({ workspaceId, id, dueAt }, lease, until) => {
    const claim = sql`
      UPDATE ${table} SET status = 'running', lease = ${lease}, due_at = ${until}
      WHERE workspace_id = ${workspaceId} AND id = ${id} AND due_at = ${dueAt} RETURNING ${columns as Columns<object>}`
    return database.transaction(transaction => transaction.get(claim as Query<Row>))
  },
})

interface QueueWorkerParts<Row> {
  cluster: Pick<Cluster, 'time' | 'subscribe'>
  /** A message between processes: something was added to the queue. */
  topic: string
  pollMilliseconds: number
  /** How many rows this process works on at once. One workspace gets at most half of the slots. */
  atOnce: number
  rows: DueRows<Row>
  renewMilliseconds: number
  /** Renews a lease. Returns the reason why the work has to end, if there is one: the lease is lost, for example. */
  renew(held: HeldRow, until: number): Promise<unknown>
  /** Does the work of a claimed row. The signal is aborted when the server stops, or with that reason. */
  work(row: Row, held: HeldRow, signal: AbortSignal): Promise<void>
  log: WarnLog
  /** A name for the rows, for the log. */
  subject: string
}

/**
 * Works on a queue in the database until it is stopped: when a message announces a new entry, a slot is free again, or
 * the poll finds something. Workspaces take turns.
 */
export class QueueWorker<Row> {
  readonly #parts: QueueWorkerParts<Row>
  readonly #loop = new WakeLoop()
  readonly #working = new Map<DueRow, Promise<void>>()
  /** Renews the leases of the rows at work. */
  readonly #renewals = new Set<() => void>()
  /** When each workspace that waits was served last. */
  #turns = new Map<string, number>()
  #turn = 0

  constructor(parts: QueueWorkerParts<Row>) {
    this.#parts = parts
    parts.cluster.subscribe(parts.topic, () => {
      this.#loop.wake()
      // The message may be about a row that this process works on.
      for (const renew of this.#renewals) renew()
    })
  }

  async run(signal: AbortSignal): Promise<void> {
    const { cluster, rows, log, subject, pollMilliseconds } = this.#parts
    await this.#loop.run(signal, async woken => {
      try {
        await cluster.time.refresh()
        const due = await rows.due(cluster.time.now())
        if (!signal.aborted) this.#begin(due, signal)
      } catch (error) {
        log.warn({ err: error }, `${subject}: the queue could not be read; trying again`)
      }
      await pause(pollMilliseconds, woken)
    })
    await Promise.all(this.#working.values())
  }

  #begin(rows: readonly DueRow[], signal: AbortSignal): void {
    const { atOnce } = this.#parts
    const lastTurn = ({ workspaceId }: DueRow): number => this.#turns.get(workspaceId) ?? 0
    this.#turns = new Map(rows.map(row => [row.workspaceId, lastTurn(row)]))
    for (const row of rows.toSorted((a, b) => lastTurn(a) - lastTurn(b))) {
      if (this.#working.size >= atOnce) return
      const held = [...this.#working.keys()].filter(({ workspaceId }) => workspaceId === row.workspaceId)
      // A row that is being claimed, or whose lease expired while this process was slow, is not started twice.
      if (held.length >= Math.ceil(atOnce / 2) || held.some(({ id }) => id === row.id)) continue
      this.#turns.set(row.workspaceId, ++this.#turn)
      this.#working.set(row, this.#work(row, signal))
    }
  }

  async #work(row: DueRow, stopping: AbortSignal): Promise<void> {
    const { cluster, rows, log, subject } = this.#parts
    const held: HeldRow = { workspaceId: row.workspaceId, id: row.id, lease: newLease() }
    try {
      const claimed = await rows.claim(row, held.lease, cluster.time.now() + leaseMilliseconds)
      if (claimed) await this.#whileHeld(claimed, held, stopping)
    } catch (error) {
      log.warn({ err: error, id: row.id }, `${subject}: interrupted; it will be continued`)
      return
    } finally {
      this.#working.delete(row)
    }
    // A place is free, so the queue is read again at once; after a failure only with the next poll.
    this.#loop.wake()
  }

  async #whileHeld(row: Row, held: HeldRow, stopping: AbortSignal): Promise<void> {
    const { cluster, renewMilliseconds, renew, work } = this.#parts
    const ended = new AbortController()
    const renewNow = async (): Promise<void> => {
      const reason = await renew(held, cluster.time.now() + leaseMilliseconds)
      if (reason !== undefined) ended.abort(reason)
    }
    const tryToRenew = (): void => void renewNow().catch(() => {})
    const timer = setInterval(tryToRenew, renewMilliseconds)
    this.#renewals.add(tryToRenew)
    try {
      await renewNow()
      await work(row, held, AbortSignal.any([stopping, ended.signal]))
    } finally {
      clearInterval(timer)
      this.#renewals.delete(tryToRenew)
    }
  }
}
