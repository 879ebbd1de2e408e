import { hkdfSync } from 'node:crypto'
import { limits } from '../contract/limits.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { decrypt, encrypt } from '../kernel/secret-box.ts'
import type { IdempotencyScope, IdempotencyStore } from './idempotency-store.ts'

/**
 * A stored response may contain a new token, and tokens are never stored in plain text. So a response is encrypted with
 * a key derived from the caller's own token, of which the database has only the hash.
 */
const keyOf = (secret: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', 'banyan idempotent answer', 32))

export const reusedKey = (header = 'Idempotency-Key'): AppError =>
  new AppError('version_conflict', `This ${header} was used with another request; use a new one`, {
    errors: [{ path: `header/${header}`, message: 'was used with another request' }],
  })

/** Executes a request once per key and returns its first response to retries. */
export class IdempotencyService {
  readonly #store: IdempotencyStore
  readonly #clock: Clock

  constructor(store: IdempotencyStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * `secret` is the caller's token, which encrypts the stored response. What `work` writes and its response are committed
   * together: a crash leaves both or none. If it fails, the key is free, and the client can retry with it.
   */
  async once(
    scope: IdempotencyScope,
    secret: string,
    fingerprint: string,
    work: () => Promise<string>,
  ): Promise<{ answer: string; replayed: boolean }> {
    let answer = ''
    const seal = async (): Promise<string> => {
      answer = await work()
      return encrypt(keyOf(secret), answer).toString('base64')
    }
    const known = await this.#store.find(scope)
    if (!known && (await this.#store.store(scope, { fingerprint, at: this.#clock.now() }, seal)))
      return { answer, replayed: false }
    const first = known ?? (await this.#store.find(scope))
    // It expired between the two reads.
    if (!first) throw new AppError('unavailable', 'The Idempotency-Key has just expired; try again')
    if (first.fingerprint !== fingerprint) throw reusedKey()
    return { answer: decrypt(keyOf(secret), Buffer.from(first.answer, 'base64')), replayed: true }
  }

  removeExpired(): Promise<unknown> {
    return this.#store.removeBefore(this.#clock.now() - limits.idempotencyHours * 3_600_000)
  }
}
