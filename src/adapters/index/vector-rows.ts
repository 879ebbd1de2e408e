import { DatabaseSync, type StatementSync } from 'node:sqlite'

export interface VectorRow {
  position: number
  vector: Float32Array
}

/** Rows read at once: a few milliseconds at most. */
const pageRows = 256

/** The rows that an index is derived from, read from the database file. No transaction outlives a call. */
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

  /** The batches that became live after a revision, and the current revision. */
  liveBatches(
    workspaceId: string,
    generationId: string,
    after: number,
  ): { revision: number; ids: string[] } | undefined {
    // One snapshot for both reads: a batch that came between them would be missed for good.
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

/** A batch and the keys of its vectors. A key is `base` plus the position in the batch. */
export interface IndexedBatch {
  readonly id: string
  readonly base: number
  readonly span: number
  /** Vectors read from the rows, and how many of these the graph holds. */
  read: number
  added: number
  /** All of its rows were read. */
  isWhole: boolean
  isDead: boolean
}

/** Whether the graph holds the whole batch. */
export const isInGraph = (batch: IndexedBatch): boolean =>
  batch.isWhole && !batch.isDead && batch.added > 0 && batch.added === batch.read

/** Maps keys of the index to batches. Keys are never reused. */
export class BatchTable {
  readonly #byBase: IndexedBatch[] = []
  readonly #byId = new Map<string, IndexedBatch>()
  nextKey = 0
  /** Keys of live and of deleted batches. */
  live = 0
  dead = 0
  /** Vectors in the graph that belong to live batches. */
  liveInGraph = 0

  add(id: string, span: number, base = this.nextKey): IndexedBatch {
    const batch = { id, base, span, read: 0, added: 0, isWhole: false, isDead: false }
    this.#byBase.push(batch)
    this.#byId.set(id, batch)
    this.nextKey = Math.max(this.nextKey, base + span)
    this.live += span
    return batch
  }

  get(id: string): IndexedBatch | undefined {
    return this.#byId.get(id)
  }

  /** In the order of their keys. */
  all(): readonly IndexedBatch[] {
    return this.#byBase
  }

  find(key: number): IndexedBatch | undefined {
    let low = 0
    let high = this.#byBase.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#byBase[middle]!.base <= key) low = middle
      else high = middle - 1
    }
    const batch = this.#byBase[low]
    return batch && key >= batch.base && key < batch.base + batch.span ? batch : undefined
  }

  markDead(batch: IndexedBatch): void {
    if (batch.isDead) return
    batch.isDead = true
    this.live -= batch.span
    this.dead += batch.span
    this.liveInGraph -= batch.added
  }

  addedToGraph(batch: IndexedBatch, count = 1): void {
    batch.added += count
    if (!batch.isDead) this.liveInGraph += count
  }
}
