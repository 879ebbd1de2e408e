/** The items with the highest scores. Sorting a buffer when it is full costs less than keeping a heap. */
export class TopScores<Item> {
  readonly #limit: number
  #kept: { item: Item; score: number }[] = []
  /** A score must exceed this to be kept. */
  threshold: number

  constructor(limit: number, threshold = Number.NEGATIVE_INFINITY) {
    this.#limit = limit
    this.threshold = threshold
  }

  offer(item: Item, score: number): void {
    if (score <= this.threshold) return
    this.#kept.push({ item, score })
    if (this.#kept.length >= this.#limit * 4 + 64) this.#cut()
  }

  /** The score that an item must now exceed to be kept. */
  lowest(): number {
    this.#cut()
    return this.threshold
  }

  /** The highest score first. */
  best(): { item: Item; score: number }[] {
    this.#cut()
    return this.#kept
  }

  #cut(): void {
    this.#kept = this.#kept.sort((left, right) => right.score - left.score).slice(0, this.#limit)
    if (this.#kept.length === this.#limit) this.threshold = this.#kept.at(-1)?.score ?? this.threshold
  }
}
