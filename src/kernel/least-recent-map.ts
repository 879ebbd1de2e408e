/** A map that holds so many entries at most; the one that was not asked for the longest goes first. */
export class LeastRecentMap<Key, Value> {
  readonly #most: number
  readonly #entries = new Map<Key, Value>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    // Moving an entry costs; while there is room for all, their order does not matter.
    if (this.#entries.size > this.#most / 2) {
      this.#entries.delete(key)
      this.#entries.set(key, value)
    }
    return value
  }

  set(key: Key, value: Value): void {
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#most) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }
}
