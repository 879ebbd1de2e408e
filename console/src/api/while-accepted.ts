import { ApiFailure } from './api-failure.ts'
import { onTokenChange, readHolder, refuseToken } from './token.ts'

/**
 * Whether work of a session may continue: immediately, or after the same workspace has signed in again with a
 * new token. Rejected once another user or workspace is signed in.
 */
function canContinue(number: number, signal: AbortSignal | null | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const holder = readHolder()
      if (holder.number === number && holder.isRefused) return
      settle()
      resolve(holder.number === number)
    }
    const abort = (): void => {
      settle()
      reject(signal!.reason)
    }
    const stop = onTokenChange(look)
    signal?.addEventListener('abort', abort)
    const settle = (): void => {
      stop()
      signal?.removeEventListener('abort', abort)
    }
    look()
  })
}

/**
 * Runs a call with the current token. If the server rejects the token, the call waits until the same
 * workspace has signed in again and is repeated with the new token, so nothing is lost.
 */
export async function withToken<Result>(
  attempt: (token: string | undefined) => Promise<Result>,
  signal?: AbortSignal | null,
): Promise<Result> {
  const { number } = readHolder()
  let failure: unknown = new ApiFailure('Nobody is signed in', { reason: 'token_missing', status: 401 })
  while (await canContinue(number, signal)) {
    const { token } = readHolder()
    try {
      return await attempt(token)
    } catch (error) {
      if (token === undefined || !(error instanceof ApiFailure) || error.status !== 401) throw error
      failure = error
      refuseToken(token)
    }
  }
  throw failure
}
