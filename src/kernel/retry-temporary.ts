import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from './app-error.ts'

const temporaryReasons = ['unavailable', 'storage_full', 'timed_out'] as const

type TemporaryError = AppError & { readonly reason: (typeof temporaryReasons)[number] }

/** The database is unreachable or busy, or its disk is full: the same call may succeed in a moment. */
export const isTemporary = (error: unknown): error is TemporaryError =>
  error instanceof AppError && temporaryReasons.some(reason => reason === error.reason)

const firstDelay = 50
const maxDelay = 2000

interface RetryOptions {
  /** Measured from the first failure. */
  giveUpMilliseconds: number
  /** Called before each retry; false gives up at once. */
  failed?(error: AppError, attempt: number): boolean
}

/** Repeats a call with backoff while its error is temporary; then that error is thrown. */
export async function retryTemporary<Result>(
  work: () => Promise<Result>,
  { giveUpMilliseconds, failed }: RetryOptions,
): Promise<Result> {
  let failedAt: number | undefined
  for (let attempt = 1; ; attempt += 1)
    try {
      return await work()
    } catch (error) {
      failedAt ??= performance.now()
      if (!isTemporary(error) || performance.now() - failedAt > giveUpMilliseconds) throw error
      if (failed?.(error, attempt) === false) throw error
      // Half of the delay is random, so that many runs do not retry at the same moment.
      await sleep(Math.min(firstDelay * 2 ** (attempt - 1), maxDelay) * (0.5 + Math.random() / 2))
    }
}
