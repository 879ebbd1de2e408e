import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** A generation as the index identifies it. */
export interface GenerationName {
  workspaceId: string
  id: string
  dimension: number
}

/** Rows read at once: a few milliseconds at most. */
const pageRows = 256

/** The rows that the index of a generation is derived from. No transaction outlives a call. */
export class VectorRows {
  readonly name: GenerationName
  readonly #liveBatches: StatementSync
  readonly #isLive: StatementSync
  readonly #last: StatementSync
  readonly #page: StatementSync

  constructor(connection: DatabaseSync, name: GenerationName) {
    this.name = name
    this.#liveBatches = connection.prepare(
      "SELECT id FROM batches WHERE workspace_id = ? AND generation_id = ? AND revision > ? AND state = 'live' ORDER BY revision",
    )
    this.#isLive = connection.prepare(
      "SELECT 1 FROM batches WHERE workspace_id = ? AND id = ? AND generation_id = ? AND state = 'live'",
    )
    this.#last = connection.prepare(
      'SELECT MAX(position) AS last FROM vectors WHERE workspace_id = ? AND batch_id = ?',
    )
    // A row of another length cannot be compared; this program did not write it.
    this.#page = connection.prepare(
      `SELECT position, vector FROM vectors WHERE workspace_id = ? AND batch_id = ? AND position >= ?
       AND length(vector) = ${name.dimension * 4} ORDER BY position LIMIT ${pageRows}`,
    )
  }

  /** The batches that became live after a revision, in this order. */
  liveBatches(after: number): string[] {
    const rows = this.#liveBatches.all(this.name.workspaceId, this.name.id, after) as { id: string }[]
    return rows.map(row => row.id)
  }

  isLive(batchId: string): boolean {
    return this.#isLive.get(this.name.workspaceId, batchId, this.name.id) !== undefined
  }

  /** One more than the last position of a batch; 0 when it has no vectors. */
  span(batchId: string): number {
    const { last } = this.#last.get(this.name.workspaceId, batchId) as { last: number | null }
    return last === null ? 0 : last + 1
  }

  /** The next vectors of a batch, and the position behind them, which is undefined at the end of the batch. */
  page(batchId: string, from: number) {
    const stored = this.#page.all(this.name.workspaceId, batchId, from) as {
      position: number
      vector: Uint8Array
    }[]
    const rows = stored.map(({ position, vector }) => ({ position, vector: floatsOf(vector) }))
    return { rows, next: rows.length < pageRows ? undefined : rows.at(-1)!.position + 1 }
  }
}

function floatsOf(bytes: Uint8Array): Float32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 2)
}
