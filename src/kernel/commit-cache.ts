/**
 * A number that changes whenever anything may have been committed, by this process or by another one.
 * Undefined where that cannot be known cheaply; then nothing may be kept.
 */
export type Generation = () => number | undefined

const maxEntries = 4096

/**
 * What was worked out from stored data, for exactly as long as nothing was committed. It needs no other
 * invalidation: a write by anybody empties it.
 */
export class CommitCache<Value> {
  readonly #generation: Generation
  readonly #maxSize: number
  readonly #values = new Map<string, Value>()
  /** Asked for once. What is asked for a second time is worth keeping; the rest would only push it out. */
  readonly #once = new Set<string>()
  #size = 0
  #current: number | undefined

  /** `maxSize` bounds the sum of the sizes that `set` is told. */
  constructor(generation: Generation, maxSize: number) {
    this.#generation = generation
    this.#maxSize = maxSize
  }

  get(key: string): Value | undefined {
    return this.#isCurrent() ? this.#values.get(key) : undefined
  }

  /** Call it with the generation that was current before the data was read: it may have moved on since. */
  set(key: string, value: Value, size: number, readIn: number | undefined): void {
    if (readIn === undefined || !this.#isCurrent() || readIn !== this.#current || size > this.#maxSize / 16)
      return
    if (!this.#once.delete(key)) {
      if (this.#once.size >= maxEntries) this.#once.clear()
      this.#once.add(key)
      return
    }
    if (this.#values.size >= maxEntries || this.#size + size > this.#maxSize) this.#clear()
    this.#values.set(key, value)
    this.#size += size
  }

  generation(): number | undefined {
    return this.#generation()
  }

  #isCurrent(): boolean {
    const generation = this.#generation()
    if (generation === this.#current) return generation !== undefined
    this.#current = generation
    this.#clear()
    return generation !== undefined
  }

  #clear(): void {
    this.#values.clear()
    this.#size = 0
  }
}
