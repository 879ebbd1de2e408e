import { exactSearch, type Matches, MetricKind } from 'usearch'
import { dotProduct, type Nearest } from './nearest.ts'

/** A block holds at most so many floats: its search takes about half a millisecond. */
const blockFloats = 1 << 20
const firstVectors = 16

/** Vectors in memory as they are, one after the other, to be searched exactly. */
export class VectorBlock {
  readonly #dimension: number
  readonly #most: number
  #keys = new Float64Array(firstVectors)
  #vectors: Float32Array
  count = 0

  constructor(dimension: number) {
    this.#dimension = dimension
    this.#most = Math.max(firstVectors, Math.floor(blockFloats / dimension))
    this.#vectors = new Float32Array(firstVectors * dimension)
  }

  get isFull(): boolean {
    return this.count >= this.#most
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

  /** All of it, by the native code. */
  search(vector: Float32Array, limit: number, nearest: Nearest, accepts: (key: number) => boolean): void {
    const count = this.count
    // The native code reads from the start of the buffer whatever the view says, so the view starts there.
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

  /** Only what is accepted: better where that is little. */
  scan(vector: Float32Array, nearest: Nearest, accepts: (key: number) => boolean): void {
    for (let at = 0; at < this.count; at++) {
      const key = this.#keys[at]!
      if (accepts(key)) nearest.offer(key, dotProduct(vector, this.#vectors, at * this.#dimension))
    }
  }

  #grow(): void {
    const capacity = Math.min(this.#most, this.#keys.length * 2)
    const keys = new Float64Array(capacity)
    keys.set(this.#keys)
    const vectors = new Float32Array(capacity * this.#dimension)
    vectors.set(this.#vectors)
    this.#keys = keys
    this.#vectors = vectors
  }
}
