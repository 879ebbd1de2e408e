/** A batch and the keys of its vectors. A key is `base` plus the position in the batch. */
export interface IndexedBatch {
  readonly id: string
  readonly base: number
  readonly span: number
  /** Vectors read from its rows. */
  count: number
  isDead: boolean
}

/** Maps keys of the index to batches. Keys ascend in the order of registration and are never reused. */
export class BatchTable {
  /** Batches in the order of their keys. */
  readonly all: IndexedBatch[] = []
  readonly #byId = new Map<string, IndexedBatch>()
  nextKey = 0
  /** Vectors of live batches that were read. */
  alive = 0

  add(id: string, base: number, span: number, count = 0): void {
    const batch = { id, base, span, count, isDead: false }
    this.all.push(batch)
    this.#byId.set(id, batch)
    this.nextKey = base + span
    this.alive += count
  }

  get(id: string): IndexedBatch | undefined {
    return this.#byId.get(id)
  }

  find(key: number): IndexedBatch | undefined {
    let low = 0
    let high = this.all.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.all[middle]!.base <= key) low = middle
      else high = middle - 1
    }
    const batch = this.all[low]
    return batch && key >= batch.base && key < batch.base + batch.span ? batch : undefined
  }

  countRead(batch: IndexedBatch): void {
    batch.count++
    this.alive++
  }

  markDead(batch: IndexedBatch): void {
    if (!batch.isDead) this.alive -= batch.count
    batch.isDead = true
  }
}
