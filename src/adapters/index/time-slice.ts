const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Long work asks for a pause between its pieces, so that messages which arrived meanwhile are answered. */
export class TimeSlice {
  readonly #milliseconds: number
  #endsAt: number

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
    this.#endsAt = performance.now() + milliseconds
  }

  get isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  async pause(): Promise<void> {
    if (!this.isOver) return
    await turn()
    this.#endsAt = performance.now() + this.#milliseconds
  }
}
