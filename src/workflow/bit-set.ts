/** A set of small whole numbers, one bit each: a whole set joins another 32 members at a step. */
export class BitSet {
  readonly #words: Uint32Array

  private constructor(words: Uint32Array) {
    this.#words = words
  }

  /** An empty set of numbers below `size`. Only sets of one size may be combined. */
  static empty(size: number): BitSet {
    return new BitSet(new Uint32Array((size + 31) >>> 5))
  }

  /**
   * One empty set of numbers below `size` for each of them, in one piece of memory: thousands of small ones
   * cost more.
   */
  static emptyForEach(size: number): readonly BitSet[] {
    const length = (size + 31) >>> 5
    const words = new Uint32Array(length * size)
    return Array.from(
      { length: size },
      (_, row) => new BitSet(words.subarray(row * length, (row + 1) * length)),
    )
  }

  copy(): BitSet {
    return new BitSet(this.#words.slice())
  }

  has(member: number): boolean {
    return (this.#words[member >>> 5]! & (1 << (member & 31))) !== 0
  }

  add(member: number): this {
    this.#words[member >>> 5]! |= 1 << (member & 31)
    return this
  }

  addAll(other: BitSet): this {
    const into = this.#words
    const from = other.#words
    for (let word = 0; word < from.length; word += 1) into[word]! |= from[word]!
    return this
  }

  /** Removes what is not in `other` too. */
  keepOnly(other: BitSet): this {
    const into = this.#words
    const from = other.#words
    for (let word = 0; word < from.length; word += 1) into[word]! &= from[word]!
    return this
  }

  /** Takes exactly the members of `other`. */
  become(other: BitSet): this {
    this.#words.set(other.#words)
    return this
  }
}
