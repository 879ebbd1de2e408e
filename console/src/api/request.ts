import { ApiFailure, failureFrom, unreachable } from './api-failure.ts'
import { onTokenChange, readHolder, readToken, refuseToken } from './token.ts'

interface Address {
  params?: Record<string, unknown> | undefined
  query?: Record<string, unknown> | undefined
}

/** The path of `'GET /api/v1/…'` with its parameters filled in. */
export function addressOf(key: string, { params = {}, query = {} }: Address): string {
  const path = key
    .slice(key.indexOf(' ') + 1)
    .replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
  return search === '' ? path : `${path}?${search}`
}

export const authorization = (token = readToken()): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` }

type Options = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }

/** Sends a request with the current token. Failures are thrown as `ApiFailure`. */
export const request = (address: string, options: Options): Promise<Response> =>
  withToken(token => requestAs(token, address, options), options.signal)

/** Sends a request with a token that is not signed in yet. */
export async function requestAs(
  token: string | undefined,
  address: string,
  { headers, ...options }: Options = {},
): Promise<Response> {
  let response: Response
  try {
    response = await fetch(address, {
      credentials: 'omit',
      cache: 'no-store',
      ...options,
      headers: { ...headers, ...authorization(token) },
    })
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw unreachable()
  }
  if (response.ok || response.status === 304) return response
  throw failureFrom(await response.json().catch(() => undefined), response)
}

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
  let failure: unknown = new ApiFailure('Not signed in', { reason: 'token_missing', status: 401 })
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
