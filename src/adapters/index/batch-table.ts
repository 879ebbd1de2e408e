/** A batch and the keys of its vectors: `base` plus the position. */
export interface IndexedBatch {
  readonly id: string
  readonly base: number
  readonly span: number
  /** Its vectors that were read from the rows, and those of them the graph holds. */
  read: number
  added: number
  /** All of its rows were read. */
  isWhole: boolean
  isDead: boolean
}

/** The graph holds all of it. */
export const isInGraph = (batch: IndexedBatch): boolean =>
  batch.isWhole && !batch.isDead && batch.added > 0 && batch.added === batch.read

/** Tells which vector a key stands for. Keys are never used twice. */
export class BatchTable {
  readonly #byBase: IndexedBatch[] = []
  readonly #byId = new Map<string, IndexedBatch>()
  nextKey = 0
  /** How many keys belong to batches that are searched, and to ones that are not any more. */
  live = 0
  dead = 0
  /** How many vectors of the graph belong to batches that are searched. */
  liveInGraph = 0

  add(id: string, span: number, base = this.nextKey): IndexedBatch {
    const batch = { id, base, span, read: 0, added: 0, isWhole: false, isDead: false }
    this.#byBase.push(batch)
    this.#byId.set(id, batch)
    this.nextKey = Math.max(this.nextKey, base + span)
    this.live += span
    return batch
  }

  has(id: string): boolean {
    return this.#byId.has(id)
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

  bury(batch: IndexedBatch): void {
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
