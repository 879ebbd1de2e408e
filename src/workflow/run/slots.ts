/** So many at a time; the rest waits in line. */
export class Slots {
  #free: number
  readonly #line: (() => void)[] = []
  #head = 0

  constructor(count: number) {
    this.#free = count
  }

  /** Calls `begin` as soon as there is room, perhaps at once. */
  take(begin: () => void): void {
    if (this.#free > 0) {
      this.#free -= 1
      begin()
    } else if (this.#free > Number.NEGATIVE_INFINITY) this.#line.push(begin)
  }

  /** Nobody gets one any more, and those in line are sent away. */
  close(): void {
    this.#free = Number.NEGATIVE_INFINITY
    this.#line.length = 0
    this.#head = 0
  }

  /** Takes one without waiting, for a step that goes on: there may be one too many for a moment. */
  retake(): void {
    this.#free -= 1
  }

  give(): void {
    this.#free += 1
    while (this.#free > 0 && this.#head < this.#line.length) {
      const begin = this.#line[this.#head]!
      this.#head += 1
      this.#free -= 1
      begin()
    }
    if (this.#head === this.#line.length && this.#head > 0) {
      this.#line.length = 0
      this.#head = 0
    }
  }
}
