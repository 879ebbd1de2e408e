import { followSignal } from './follow-signal.ts'

/** Repeats rounds that look for work and then pause until there may be more. */
export class WakeLoop {
  #round = new AbortController()

  /** Ends the pause of the current round, also when the round is still looking for work. */
  wake(): void {
    this.#round.abort()
  }

  /** Runs until the signal. `woken` is for the pause of a round: the signal aborts it as well, and so does its end. */
  async run(signal: AbortSignal, round: (woken: AbortSignal) => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      const { controller, release } = followSignal(signal)
      this.#round = controller
      await round(controller.signal).finally(() => {
        release()
        controller.abort()
      })
    }
  }
}
