export interface Scored<Item> {
  item: Item
  score: number
}

/** Keeps the best so many; the worst of them stands at the top of a heap, so that it can be beaten cheaply. */
export class TopHits<Item> {
  readonly #limit: number
  readonly #heap: Scored<Item>[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** What a score has to beat. */
  get threshold(): number {
    return this.#heap.length < this.#limit ? 0 : this.#heap[0]!.score
  }

  offer(item: Item, score: number): void {
    if (this.#heap.length < this.#limit) {
      this.#heap.push({ item, score })
      this.#rise(this.#heap.length - 1)
    } else if (score > this.#heap[0]!.score) {
      this.#heap[0] = { item, score }
      this.#sink()
    }
  }

  best(): Scored<Item>[] {
    return this.#heap.toSorted((left, right) => right.score - left.score)
  }

  #rise(start: number): void {
    let at = start
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#heap[parent]!.score <= this.#heap[at]!.score) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #sink(): void {
    let at = 0
    for (;;) {
      const left = at * 2 + 1
      if (left >= this.#heap.length) return
      const right = left + 1
      const smaller =
        right < this.#heap.length && this.#heap[right]!.score < this.#heap[left]!.score ? right : left
      if (this.#heap[at]!.score <= this.#heap[smaller]!.score) return
      this.#swap(at, smaller)
      at = smaller
    }
  }

  #swap(left: number, right: number): void {
    const kept = this.#heap[left]!
    this.#heap[left] = this.#heap[right]!
    this.#heap[right] = kept
  }
}
