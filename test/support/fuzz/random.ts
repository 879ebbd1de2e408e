/** Pseudorandom numbers, equal for equal seeds, so that a failing run can be repeated. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** One generator per request, so that requests are independent of each other. */
  static of(seed: number, index: number): Random {
    const random = new Random(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35))
    random.next()
    return random
  }

  /** From 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** An integer from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!
  }

  /** Chooses a key according to the weights. */
  weighted<Key extends string>(weights: Record<Key, number>): Key {
    const entries = Object.entries(weights) as [Key, number][]
    let at = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [key, weight] of entries) {
      at -= weight
      if (at < 0) return key
    }
    return entries[0]![0]
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length)
    for (let at = 0; at < length; at++) bytes[at] = this.below(256)
    return bytes
  }
}
