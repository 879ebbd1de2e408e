import { DatabaseSync, type StatementSync } from 'node:sqlite'

export interface VectorRow {
  position: number
  vector: Float32Array
}

/** So many rows are read in one go: a few milliseconds at most. */
const pageRows = 256

/** The rows an index is derived from, read from the database file. No transaction outlives a call. */
export class VectorRows {
  readonly #connection: DatabaseSync
  readonly #generation: StatementSync
  readonly #batches: StatementSync
  readonly #isLive: StatementSync
  readonly #last: StatementSync
  readonly #page: StatementSync

  constructor(path: string) {
    this.#connection = new DatabaseSync(path, { readOnly: true, timeout: 1000 })
    const prepare = (sql: string): StatementSync => this.#connection.prepare(sql)
    this.#generation = prepare(
      'SELECT revision, dimension FROM generations WHERE workspace_id = ? AND id = ? AND gone = 0',
    )
    this.#batches = prepare(
      "SELECT id FROM batches WHERE workspace_id = ? AND generation_id = ? AND revision > ? AND state = 'live' ORDER BY revision",
    )
    this.#isLive = prepare(
      "SELECT 1 FROM batches WHERE workspace_id = ? AND id = ? AND generation_id = ? AND state = 'live'",
    )
    this.#last = prepare('SELECT MAX(position) AS last FROM vectors WHERE workspace_id = ? AND batch_id = ?')
    this.#page = prepare(
      'SELECT position, vector FROM vectors WHERE workspace_id = ? AND batch_id = ? AND position >= ? ORDER BY position LIMIT ?',
    )
  }

  generation(workspaceId: string, id: string): { revision: number; dimension: number | null } | undefined {
    return this.#generation.get(workspaceId, id) as { revision: number; dimension: number | null } | undefined
  }

  /** The live batches that were made visible after a revision, and the revision this is the state of. */
  liveBatches(
    workspaceId: string,
    generationId: string,
    after: number,
  ): { revision: number; ids: string[] } | undefined {
    // One moment for both: a batch between the two reads would be missed for good.
    this.#connection.exec('BEGIN')
    try {
      const generation = this.generation(workspaceId, generationId)
      if (!generation) return undefined
      const rows = this.#batches.all(workspaceId, generationId, after) as { id: string }[]
      return { revision: generation.revision, ids: rows.map(row => row.id) }
    } finally {
      this.#connection.exec('COMMIT')
    }
  }

  isLive(workspaceId: string, generationId: string, batchId: string): boolean {
    return this.#isLive.get(workspaceId, batchId, generationId) !== undefined
  }

  /** One more than the last position of a batch; 0 when it has no vectors. */
  span(workspaceId: string, batchId: string): number {
    const { last } = this.#last.get(workspaceId, batchId) as { last: number | null }
    return last === null ? 0 : last + 1
  }

  page(workspaceId: string, batchId: string, from: number, limit = pageRows): VectorRow[] {
    const rows = this.#page.all(workspaceId, batchId, from, limit) as {
      position: number
      vector: Uint8Array
    }[]
    return rows.map(({ position, vector }) => ({ position, vector: floatsOf(vector) }))
  }

  close(): void {
    this.#connection.close()
  }
}

function floatsOf(bytes: Uint8Array): Float32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 2)
}
