/** A map with a maximum size; the least recently used entries are evicted first. */
export class LruMap<Key, Value> {
  readonly #maxSize: number
  readonly #sizeOf: (value: Value) => number
  readonly #entries = new Map<Key, Value>()
  #size = 0

  /** Without `sizeOf` every entry has the size 1. */
  constructor(maxSize: number, sizeOf: (value: Value) => number = () => 1) {
    this.#maxSize = maxSize
    this.#sizeOf = sizeOf
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    // Reordering has a cost and is not needed while the map is at most half full.
    if (this.#size > this.#maxSize / 2) {
      this.#entries.delete(key)
      this.#entries.set(key, value)
    }
    return value
  }

  set(key: Key, value: Value): void {
    const before = this.#entries.get(key)
    this.#size += this.#sizeOf(value) - (before === undefined ? 0 : this.#sizeOf(before))
    this.#entries.set(key, value)
    for (const [oldest, evicted] of this.#entries) {
      if (this.#size <= this.#maxSize) return
      this.#entries.delete(oldest)
      this.#size -= this.#sizeOf(evicted)
    }
  }
}
