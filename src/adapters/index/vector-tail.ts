import { exactSearch, type Matches, MetricKind } from 'usearch'
import { nextTurn } from '../../kernel/pause.ts'
import type { TopScores } from '../../kernel/top-scores.ts'
import type { BatchTable } from './batch-table.ts'
import type { VectorRows } from './vector-rows.ts'

/** Size of a full block; its search takes about half a millisecond. */
const blockFloats = 1 << 20
const firstVectors = 16

/** Vectors in one contiguous array, searched exactly. */
class VectorBlock {
  readonly #dimension: number
  readonly #capacity: number
  #keys = new Float64Array(firstVectors)
  #vectors: Float32Array<ArrayBuffer>
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
    if (this.count === this.#keys.length) {
      const capacity = Math.min(this.#capacity, this.count * 2)
      this.#keys = new Float64Array(this.#keys.buffer.transfer(capacity * 8))
      this.#vectors = new Float32Array(this.#vectors.buffer.transfer(capacity * this.#dimension * 4))
    }
    this.#keys[this.count] = key
    this.#vectors.set(vector, this.count * this.#dimension)
    this.count++
  }

  /** Frees the memory now: this thread allocates little, so the garbage collector runs late. */
  release(): void {
    this.#vectors.buffer.transfer(0)
  }

  /** Compares with the whole block, in native code. */
  search(vector: Float32Array, limit: number, nearest: TopScores<number>, accepts: (key: number) => boolean) {
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
  scan(vector: Float32Array, nearest: TopScores<number>, accepts: (key: number) => boolean): void {
    for (let at = 0; at < this.count; at++) {
      const key = this.#keys[at]!
      if (accepts(key)) nearest.offer(key, dotProduct(vector, this.#vectors, at * this.#dimension))
    }
  }
}

/** Vectors by key: those before `graphEnd` are in the graph, those before `readEnd` in memory, others only in their rows. */
export class VectorTail {
  readonly #rows: VectorRows
  readonly #batches: BatchTable
  #blocks: VectorBlock[] = []
  /** Vectors of the first block that the graph holds. */
  #taken = 0
  readEnd: number

  constructor(rows: VectorRows, batches: BatchTable) {
    this.#rows = rows
    this.#batches = batches
    this.readEnd = batches.nextKey
  }

  get graphEnd(): number {
    return this.#blocks[0]?.key(this.#taken) ?? this.readEnd
  }

  get count(): number {
    return this.#blocks.reduce((sum, block) => sum + block.count, -this.#taken)
  }

  get bytes(): number {
    return this.#blocks.reduce((sum, block) => sum + block.bytes, 0)
  }

  get isEmpty(): boolean {
    return this.graphEnd === this.#batches.nextKey
  }

  /** Reads rows into memory until it holds `maxBytes`. Several calls can run at the same time. */
  async read(maxBytes: number): Promise<void> {
    while (this.readEnd < this.#batches.nextKey && this.bytes < maxBytes) {
      const batch = this.#batches.find(this.readEnd)!
      const { id, base, span, isDead } = batch
      const { rows, next } = isDead ? { rows: [], next: undefined } : this.#rows.page(id, this.readEnd - base)
      for (const { position, vector } of rows) {
        this.#push(base + position, vector)
        this.#batches.countRead(batch)
      }
      this.readEnd = base + (next ?? span)
      await nextTurn()
    }
  }

  #push(key: number, vector: Float32Array): void {
    if (this.#blocks.at(-1)?.isFull !== false) this.#blocks.push(new VectorBlock(this.#rows.name.dimension))
    this.#blocks.at(-1)!.add(key, vector)
  }

  /** Hands the next vector in memory over to the graph. */
  take(add: (key: number, vector: Float32Array) => void): void {
    const block = this.#blocks[0]
    if (!block) return
    add(block.key(this.#taken), block.vector(this.#taken))
    this.#taken++
    if (this.#taken < block.count) return
    this.#blocks.shift()
    this.#taken = 0
    block.release()
  }

  search(
    vector: Float32Array,
    limit: number,
    nearest: TopScores<number>,
    { accepts, isFiltered }: { accepts: (key: number) => boolean; isFiltered: boolean },
  ): void {
    const { graphEnd } = this
    const acceptsHere = (key: number): boolean => key >= graphEnd && accepts(key)
    for (const block of this.#blocks)
      if (isFiltered) block.scan(vector, nearest, acceptsHere)
      else block.search(vector, limit, nearest, acceptsHere)
  }
}

/** Four independent sums, so that additions overlap in the processor. */
export function dotProduct(left: Float32Array, right: Float32Array, offset = 0): number {
  const length = left.length
  let first = 0
  let second = 0
  let third = 0
  let fourth = 0
  let at = 0
  for (; at + 3 < length; at += 4) {
    first += left[at]! * right[offset + at]!
    second += left[at + 1]! * right[offset + at + 1]!
    third += left[at + 2]! * right[offset + at + 2]!
    fourth += left[at + 3]! * right[offset + at + 3]!
  }
  for (; at < length; at++) first += left[at]! * right[offset + at]!
  return first + second + third + fourth
}
