import type { Clock } from '../../kernel/clock.ts'

const failuresToOpen = 5
const windowMilliseconds = 30_000
const openMilliseconds = 15_000

/**
 * Spares an endpoint that is down, and those who would wait for it: after five failures in a row within 30 seconds
 * nothing is sent for 15, then one call is let through to see.
 */
export class Circuit {
  readonly #clock: Clock
  #failures: number[] = []
  #openUntil: number | undefined
  #isProbing = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Asks to send. 0: go ahead, and tell how it went; else how many milliseconds to stay away. */
  enter(): number {
    if (this.#openUntil === undefined) return 0
    const left = this.#openUntil - this.#clock.now()
    if (left > 0) return left
    if (this.#isProbing) return 1000
    this.#isProbing = true
    return 0
  }

  /**
   * A probe has begun to answer, which may take minutes: the others need not wait for its end. What failed before
   * is not forgotten yet.
   */
  answers(): void {
    if (!this.#isProbing) return
    this.#isProbing = false
    this.#openUntil = undefined
  }

  /** The endpoint works, whatever it said. */
  succeeded(): void {
    this.#failures = []
    this.#openUntil = undefined
    this.#isProbing = false
  }

  failed(): void {
    const now = this.#clock.now()
    this.#failures = [...this.#failures.filter(at => now - at < windowMilliseconds), now]
    if (!this.#isProbing && this.#failures.length < failuresToOpen) return
    this.#openUntil = now + openMilliseconds
    this.#isProbing = false
  }

  /** The call was given up and says nothing about the endpoint; the next one may probe. */
  abandoned(): void {
    this.#isProbing = false
  }
}
