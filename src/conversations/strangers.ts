import { AppError } from '../kernel/app-error.ts'

/** Counts the turns of those who came without a token: one stranger must not use up what everybody runs on. */
export class Strangers {
  readonly #most: number
  #turns = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Makes a turn that counts until it has settled. Fails with `rate_limited` when there are too many. */
  async count<Turn>(make: () => Promise<{ turn: Turn; settled: Promise<unknown> }>): Promise<Turn> {
    if (this.#turns >= this.#most)
      throw new AppError('rate_limited', 'Too many people talk without a token right now; try again soon', {
        headers: { 'retry-after': '2' },
      })
    this.#turns++
    const leave = (): void => {
      this.#turns--
    }
    try {
      const { turn, settled } = await make()
      settled.then(leave, leave)
      return turn
    } catch (error) {
      leave()
      throw error
    }
  }
}
