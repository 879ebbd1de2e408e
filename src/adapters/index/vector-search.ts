/** A generation as the index identifies it. */
export interface GenerationName {
  workspaceId: string
  id: string
  dimension: number
}

export interface VectorQuery {
  vector: Float32Array
  limit: number
  /** Undefined: all live batches. */
  batchIds: ReadonlySet<string> | undefined
}

export interface Candidate {
  key: number
  similarity: number
}

/** The best candidates of several sources. A key that two sources offer counts once. */
export class Nearest {
  readonly #limit: number
  #kept: Candidate[] = []
  #worst = Number.NEGATIVE_INFINITY

  constructor(limit: number) {
    this.#limit = limit
  }

  offer(key: number, similarity: number): void {
    if (similarity <= this.#worst) return
    this.#kept.push({ key, similarity })
    if (this.#kept.length >= this.#limit * 4 + 64) this.#cut()
  }

  take(): Candidate[] {
    this.#cut()
    return this.#kept
  }

  #cut(): void {
    this.#kept.sort((one, other) => other.similarity - one.similarity || one.key - other.key)
    const seen = new Set<number>()
    this.#kept = this.#kept.filter(({ key }) => seen.size < this.#limit && !seen.has(key) && seen.add(key))
    if (this.#kept.length === this.#limit) this.#worst = this.#kept.at(-1)!.similarity
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

export const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Lets long work yield to the event loop, so that the thread answers searches that arrive meanwhile. */
export class TimeSlice {
  readonly #milliseconds: number
  #endsAt: number

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
    this.#endsAt = performance.now() + milliseconds
  }

  get isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  async pause(): Promise<void> {
    if (!this.isOver) return
    await nextTurn()
    this.#endsAt = performance.now() + this.#milliseconds
  }
}
