import { hkdfSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../contract/limits.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { decrypt, encrypt } from '../kernel/secret-box.ts'
import type { IdempotencyScope, IdempotencyStore } from './idempotency-store.ts'

const staleMilliseconds = 60_000
const waitMilliseconds = 30_000

/**
 * A stored response may contain a new token, and tokens are never stored in plain text. So a response is encrypted with
 * a key derived from the caller's own token, of which the database has only the hash.
 */
const keyOf = (secret: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', 'banyan idempotent answer', 32))

export const reusedKey = (): AppError =>
  new AppError('version_conflict', 'This Idempotency-Key was used with another request; use a new one', {
    errors: [{ path: 'header/Idempotency-Key', message: 'was used with another request' }],
  })

/** Executes a request once per key and returns its first response to retries. */
export class IdempotencyService {
  readonly #store: IdempotencyStore
  readonly #clock: Clock

  constructor(store: IdempotencyStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** `secret` is the caller's token, which encrypts the stored response. */
  async once(
    scope: IdempotencyScope,
    secret: string,
    fingerprint: string,
    work: () => Promise<string>,
  ): Promise<{ answer: string; replayed: boolean }> {
    const deadline = this.#clock.now() + waitMilliseconds
    for (let delay = 10; ; delay = Math.min(delay * 2, 250)) {
      const now = this.#clock.now()
      const claim = await this.#store.claim(scope, fingerprint, now, now - staleMilliseconds)
      if (claim.state === 'claimed')
        return { answer: await this.#work(scope, now, secret, work), replayed: false }
      if (claim.fingerprint !== fingerprint) throw reusedKey()
      if (claim.state === 'done')
        return { answer: decrypt(keyOf(secret), Buffer.from(claim.answer, 'base64')), replayed: true }
      if (now > deadline)
        throw new AppError('version_conflict', 'The same request is still in progress; try again later')
      await sleep(delay)
    }
  }

  /** An error releases the key, so that the client can fix the request or retry with the same key. */
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
    await this.#store.complete(scope, claimedAt, encrypt(keyOf(secret), answer).toString('base64'))
    return answer
  }

  removeExpired(): Promise<unknown> {
    return this.#store.removeBefore(this.#clock.now() - limits.idempotencyHours * 3_600_000)
  }
}
