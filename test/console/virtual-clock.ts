/** Virtual time, so that a test can skip hours of pauses. */
export class VirtualClock {
  #now = 0
  #number = 0
  readonly #timers = new Map<number, { at: number; action: () => void }>()

  readonly setTimer = (action: () => void, milliseconds: number): unknown => {
    this.#timers.set(++this.#number, { at: this.#now + milliseconds, action })
    return this.#number
  }

  readonly clearTimer = (timer: unknown): void => void this.#timers.delete(timer as number)

  readonly wait = (milliseconds: number): Promise<void> =>
    new Promise(resolve => this.setTimer(resolve, milliseconds))

  get pending(): number {
    return this.#timers.size
  }

  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds
    await settled()
    for (let next = this.#first(end); next; next = this.#first(end)) {
      const [number, { at, action }] = next
      this.#timers.delete(number)
      this.#now = at
      action()
      await settled()
    }
    this.#now = end
  }

  #first(until: number) {
    const due = [...this.#timers].filter(([, { at }]) => at <= until)
    return due.toSorted(([, one], [, other]) => one.at - other.at)[0]
  }
}

/** All pending promises are settled. */
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
