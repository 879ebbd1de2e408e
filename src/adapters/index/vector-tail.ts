import { exactSearch, type Matches, MetricKind } from 'usearch'
import type { BatchTable, IndexedBatch, VectorRows } from './vector-rows.ts'
import { dotProduct, type Nearest, type TimeSlice, type VectorQuery } from './vector-search.ts'

/** Size of a full block; its search takes about half a millisecond. */
const blockFloats = 1 << 20
const firstVectors = 16

/** Vectors in one contiguous array, searched exactly. */
class VectorBlock {
  readonly #dimension: number
  readonly #capacity: number
  #keys = new Float64Array(firstVectors)
  #vectors: Float32Array
  count = 0

  constructor(dimension: number) {
    this.#dimension = dimension
    this.#capacity = Math.max(firstVectors, Math.floor(blockFloats / dimension))
    this.#vectors = new Float32Array(firstVectors * dimension)
  }

  get isFull(): boolean {
    return this.count >= this.#capacity
  }

  get bytes(): number {
    return this.#vectors.byteLength + this.#keys.byteLength
  }

  key(at: number): number {
    return this.#keys[at]!
  }

  vector(at: number): Float32Array {
    return this.#vectors.subarray(at * this.#dimension, (at + 1) * this.#dimension)
  }

  add(key: number, vector: Float32Array): void {
    if (this.count === this.#keys.length) this.#grow()
    this.#keys[this.count] = key
    this.#vectors.set(vector, this.count * this.#dimension)
    this.count++
  }

  /** Compares with the whole block, in native code. */
  search(vector: Float32Array, limit: number, nearest: Nearest, accepts: (key: number) => boolean): void {
    const count = this.count
    // The native code ignores the offset of a view and reads from the start of its buffer.
    const whole = this.#vectors.subarray(0, count * this.#dimension)
    for (let wanted = limit; ; wanted *= 4) {
      const asked = Math.min(wanted, count)
      const found = exactSearch(whole, vector, this.#dimension, asked, MetricKind.IP, 1) as Matches
      const kept = [...found.keys.keys()].filter(at => accepts(this.#keys[Number(found.keys[at])]!))
      if (kept.length < limit && asked < count) continue
      for (const at of kept) nearest.offer(this.#keys[Number(found.keys[at])]!, 1 - found.distances[at]!)
      return
    }
  }

  /** Compares only with accepted vectors: faster where a filter leaves few. */
  scan(vector: Float32Array, nearest: Nearest, accepts: (key: number) => boolean): void {
    for (let at = 0; at < this.count; at++) {
      const key = this.#keys[at]!
      if (accepts(key)) nearest.offer(key, dotProduct(vector, this.#vectors, at * this.#dimension))
    }
  }

  #grow(): void {
    const capacity = Math.min(this.#capacity, this.#keys.length * 2)
    const keys = new Float64Array(capacity)
    keys.set(this.#keys)
    const vectors = new Float32Array(capacity * this.#dimension)
    vectors.set(this.#vectors)
    this.#keys = keys
    this.#vectors = vectors
  }
}

interface Unread {
  batch: IndexedBatch
  from: number
}

/** Vectors that the graph does not hold yet, in order of arrival. The search is exact: in memory first, then in the rows. */
export class VectorTail {
  readonly #rows: VectorRows
  readonly #table: BatchTable
  readonly #workspaceId: string
  readonly #dimension: number
  #blocks: VectorBlock[] = []
  /** Vectors of the first block that the graph holds. */
  #taken = 0
  #unread: Unread[] = []

  constructor(rows: VectorRows, table: BatchTable, of: { workspaceId: string; dimension: number }) {
    this.#rows = rows
    this.#table = table
    this.#workspaceId = of.workspaceId
    this.#dimension = of.dimension
  }

  get bytes(): number {
    return this.#blocks.reduce((sum, block) => sum + block.bytes, 0)
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0 && this.#unread.length === 0
  }

  push(batch: IndexedBatch): void {
    this.#unread.push({ batch, from: 0 })
  }

  /** Reads rows into memory until it holds `maxBytes`. */
  async read(slice: TimeSlice, maxBytes: number): Promise<void> {
    let bytes = this.bytes
    while (this.#unread.length > 0 && bytes < maxBytes) {
      // Nothing else runs before the pause, so a vector is always either unread or in a block.
      const first = this.#unread[0]!
      const page = first.batch.isDead ? [] : this.#rows.page(this.#workspaceId, first.batch.id, first.from)
      for (const { position, vector } of page)
        if (this.#add(first.batch, position, vector)) bytes += vector.byteLength
      if (page.length > 0) first.from = page.at(-1)!.position + 1
      if (page.length === 0 || first.from >= first.batch.span) {
        first.batch.isWhole = true
        this.#unread.shift()
      }
      await slice.pause()
    }
  }

  #add(batch: IndexedBatch, position: number, vector: Float32Array): boolean {
    // A row of another length cannot be compared; this program did not write it.
    if (vector.length !== this.#dimension || position >= batch.span) return false
    let block = this.#blocks.at(-1)
    if (!block || block.isFull) {
      block = new VectorBlock(this.#dimension)
      this.#blocks.push(block)
    }
    block.add(batch.base + position, vector)
    batch.read++
    return true
  }

  /** The next vector to add to the graph. */
  next(): { key: number; vector: Float32Array } | undefined {
    const block = this.#blocks[0]
    return block && { key: block.key(this.#taken), vector: block.vector(this.#taken) }
  }

  /** Removes that vector: the graph holds it now. */
  drop(): void {
    this.#taken++
    if (this.#taken < this.#blocks[0]!.count) return
    this.#blocks.shift()
    this.#taken = 0
  }

  /** Searches the blocks as they were at the start, so vectors that move into the graph meanwhile are still found. */
  async search(query: VectorQuery, nearest: Nearest, slice: TimeSlice): Promise<void> {
    const blocks = [...this.#blocks]
    const unread = this.#unread.map(each => ({ ...each }))
    const { vector, limit, batchIds } = query
    const accepts = (key: number): boolean => {
      const batch = this.#table.find(key)
      return batch !== undefined && !batch.isDead && (!batchIds || batchIds.has(batch.id))
    }
    for (const block of blocks) {
      if (batchIds) block.scan(vector, nearest, accepts)
      else block.search(vector, limit, nearest, accepts)
      await slice.pause()
    }
    for (const { batch, from } of unread)
      if (!batchIds || batchIds.has(batch.id))
        await searchRows(this.#rows, this.#workspaceId, batch, vector, nearest, slice, from)
  }
}

/** Compares with the rows of one batch in the database. */
export async function searchRows(
  rows: VectorRows,
  workspaceId: string,
  batch: IndexedBatch,
  vector: Float32Array,
  nearest: Nearest,
  slice: TimeSlice,
  start = 0,
): Promise<void> {
  for (let from = start; from < batch.span && !batch.isDead; ) {
    const page = rows.page(workspaceId, batch.id, from)
    for (const row of page)
      if (row.vector.length === vector.length && row.position < batch.span)
        nearest.offer(batch.base + row.position, dotProduct(vector, row.vector))
    await slice.pause()
    if (page.length === 0) return
    from = page.at(-1)!.position + 1
  }
}
