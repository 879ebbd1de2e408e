import { setTimeout as sleep } from 'node:timers/promises'
import { raw } from '../database/sql.ts'
import type { Cluster } from './cluster.ts'

/** The order in which rows of a queue are claimed: workspaces take turns, each with what is due longest. */
export const byTurns = raw('row_number() OVER (PARTITION BY workspace_id ORDER BY due_at), due_at')

export interface Due {
  workspaceId: string
  id: string
}

interface DueWorkParts<Row extends Due> {
  cluster: Pick<Cluster, 'time' | 'subscribe'>
  /** A message between processes: something was added to the queue. */
  topic: string
  pollMilliseconds: number
  /** How many rows this process works on at once. One workspace gets at most half of the places. */
  atOnce: number
  due(now: number): Promise<Row[]>
  /** Claims the row and does its work; returns at once when another process was faster. */
  work(row: Row, stopping: AbortSignal): Promise<void>
  log: { warn(details: object, message: string): void }
  /** A name for the rows, for the log. */
  what: string
}

/**
 * Works on a queue in the database until it is stopped: when a message tells of a new entry, a place is free again, or
 * the poll finds something. Workspaces take turns.
 */
export class DueWork<Row extends Due> {
  readonly #parts: DueWorkParts<Row>
  readonly #working = new Map<Row, Promise<void>>()
  /** When each workspace that waits was served last. */
  #turns = new Map<string, number>()
  #turn = 0
  #wake = new AbortController()

  constructor(parts: DueWorkParts<Row>) {
    this.#parts = parts
    parts.cluster.subscribe(parts.topic, () => this.#wake.abort())
  }

  async run(signal: AbortSignal): Promise<void> {
    const { cluster, due, log, what, pollMilliseconds } = this.#parts
    while (!signal.aborted) {
      this.#wake = new AbortController()
      try {
        await cluster.time.refresh()
        const rows = await due(cluster.time.now())
        if (!signal.aborted) this.#begin(rows, signal)
      } catch (error) {
        log.warn({ err: error }, `${what}: the queue could not be read; trying again`)
      }
      const woken = AbortSignal.any([signal, this.#wake.signal])
      await sleep(pollMilliseconds, undefined, { signal: woken, ref: false }).catch(() => {})
    }
    await Promise.all(this.#working.values())
  }

  #begin(rows: readonly Row[], signal: AbortSignal): void {
    const { atOnce } = this.#parts
    const lastTurn = ({ workspaceId }: Row): number => this.#turns.get(workspaceId) ?? 0
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

  async #work(row: Row, stopping: AbortSignal): Promise<void> {
    const { work, log, what } = this.#parts
    try {
      await work(row, stopping)
    } catch (error) {
      log.warn({ err: error, id: row.id }, `${what}: interrupted; it will go on`)
      return
    } finally {
      this.#working.delete(row)
    }
    // A place is free, so the queue is read again at once; after a failure only with the next poll.
    this.#wake.abort()
  }
}
