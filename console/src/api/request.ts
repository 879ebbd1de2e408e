import { failureFrom, unreachable } from './api-failure.ts'
import { readToken } from './token.ts'
import { withToken } from './while-accepted.ts'

export interface Address {
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
