/** Changes with every commit, by any process. Undefined if that cannot be known cheaply; then nothing may be cached. */
export type Generation = () => number | undefined

const maxEntries = 4096

/** A cache of values derived from stored data. Every commit empties it, so that it needs no other invalidation. */
export class CommitCache<Value> {
  readonly #generation: Generation
  readonly #maxSize: number
  readonly #values = new Map<string, Value>()
  /** Keys requested before. Only a key that is requested again is cached, so that one-off reads evict nothing. */
  readonly #requested = new Set<string>()
  #size = 0
  #current: number | undefined

  /** `maxSize` limits the sum of the sizes passed to `set`. */
  constructor(generation: Generation, maxSize: number) {
    this.#generation = generation
    this.#maxSize = maxSize
  }

  get(key: string): Value | undefined {
    return this.#isCurrent() ? this.#values.get(key) : undefined
  }

  /** `readIn` is the generation before the data was read, because a commit may have happened since. */
  set(key: string, value: Value, size: number, readIn: number | undefined): void {
    if (readIn === undefined || !this.#isCurrent() || readIn !== this.#current || size > this.#maxSize / 16)
      return
    if (!this.#requested.has(key)) {
      if (this.#requested.size >= maxEntries) this.#requested.clear()
      this.#requested.add(key)
      return
    }
    if (this.#values.has(key)) return
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
