/** A map with a maximum size; the least recently used entry is evicted first. */
export class LeastRecentMap<Key, Value> {
  readonly #maxEntries: number
  readonly #entries = new Map<Key, Value>()

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    // Reordering has a cost and is not needed while the map is at most half full.
    if (this.#entries.size > this.#maxEntries / 2) {
      this.#entries.delete(key)
      this.#entries.set(key, value)
    }
    return value
  }

  set(key: Key, value: Value): void {
    this.#entries.set(key, value)
    if (this.#entries.size > this.#maxEntries) this.#entries.delete(this.#entries.keys().next().value!)
  }
}
