export interface Candidate {
  key: number
  similarity: number
}

/** The best candidates of several sources; one that two sources offer counts once. */
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

/** Four sums at once: the processor need not wait for one addition before the next. */
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
