import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../contract/limits.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import type { IdempotencyScope, IdempotencyStore } from './idempotency-store.ts'
import { openAnswer, sealAnswer } from './sealed-answer.ts'

const staleMilliseconds = 60_000
const waitMilliseconds = 30_000

/** Does a piece of work once per key and gives its first answer to everybody who sends it again. */
export class IdempotencyService {
  readonly #store: IdempotencyStore
  readonly #clock: Clock

  constructor(store: IdempotencyStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** `secret` is the caller's token: the kept answer can be read with it alone. */
  async once(
    scope: IdempotencyScope,
    secret: string,
    fingerprint: string,
    work: () => Promise<string>,
  ): Promise<{ answer: string; replayed: boolean }> {
    const giveUpAt = this.#clock.now() + waitMilliseconds
    for (let pause = 10; ; pause = Math.min(pause * 2, 250)) {
      const now = this.#clock.now()
      const claim = await this.#store.claim(scope, fingerprint, now, now - staleMilliseconds)
      if (claim.state === 'claimed')
        return { answer: await this.#work(scope, now, secret, work), replayed: false }
      if (claim.fingerprint !== fingerprint)
        throw new AppError(
          'version_conflict',
          'This Idempotency-Key was used with another request; take a fresh one',
          {
            errors: [{ path: 'header/Idempotency-Key', message: 'was used with another request' }],
          },
        )
      if (claim.state === 'done') return { answer: openAnswer(claim.answer, secret), replayed: true }
      if (now > giveUpAt)
        throw new AppError('version_conflict', 'The same request is still under way; try again later')
      await sleep(pause)
    }
  }

  /** A failure keeps nothing: the caller mends the request, or just tries again, with the same key. */
  async #work(
    scope: IdempotencyScope,
    claimedAt: number,
    secret: string,
    work: () => Promise<string>,
  ): Promise<string> {
    let answer: string
    try {
      answer = await work()
    } catch (error) {
      await this.#store.release(scope, claimedAt)
      throw error
    }
    await this.#store.complete(scope, claimedAt, sealAnswer(answer, secret))
    return answer
  }

  forget(): Promise<void> {
    return this.#store.forgetBefore(this.#clock.now() - limits.idempotencyHours * 3_600_000)
  }
}
