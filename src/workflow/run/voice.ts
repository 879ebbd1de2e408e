/**
 * Lets those who say something speak in the order of the graph, though they run side by side: who is not the next is
 * kept back until everybody before has been heard out. Each speaker has its turn, counted from 0.
 */
export class Voice {
  readonly #kept: ((() => void)[] | undefined)[]
  readonly #isClosed: boolean[]
  #next = 0

  constructor(turns: number) {
    this.#kept = new Array(turns)
    this.#isClosed = new Array(turns).fill(false)
  }

  say(turn: number, speak: () => void): void {
    if (turn <= this.#next) {
      speak()
      return
    }
    this.#kept[turn] ??= []
    this.#kept[turn].push(speak)
  }

  /** It will say nothing more. */
  close(turn: number): void {
    if (turn < 0) return
    this.#isClosed[turn] = true
    while (this.#next < this.#isClosed.length && this.#isClosed[this.#next]) {
      this.#next += 1
      this.#release(this.#next)
    }
  }

  /** Nobody who is missing will speak for now: what was kept back is said. */
  flush(): void {
    for (let turn = this.#next; turn < this.#kept.length; turn += 1) this.#release(turn)
  }

  #release(turn: number): void {
    const kept = this.#kept[turn]
    this.#kept[turn] = undefined
    for (const speak of kept ?? []) speak()
  }
}
