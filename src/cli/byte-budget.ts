/** Lets so many bytes be held at a time; what is larger than all of it has it to itself. */
export class ByteBudget {
  readonly #most: number
  #held = 0
  readonly #waiting: { bytes: number; go: () => void }[] = []

  constructor(most: number) {
    this.#most = most
  }

  async hold<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    const share = Math.min(bytes, this.#most)
    await new Promise<void>(go => {
      this.#waiting.push({ bytes: share, go })
      this.#next()
    })
    try {
      return await work()
    } finally {
      this.#held -= share
      this.#next()
    }
  }

  /** In the order of asking, or a large one would wait for ever. */
  #next(): void {
    for (let first = this.#waiting[0]; first && this.#held + first.bytes <= this.#most; ) {
      this.#waiting.shift()
      this.#held += first.bytes
      first.go()
      first = this.#waiting[0]
    }
  }
}
