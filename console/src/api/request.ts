import { ApiFailure } from './api-failure.ts'
import { forgetToken, readToken } from './token.ts'

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

export const authorization = (): Record<string, string> => {
  const token = readToken()
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/** Sends a request as whoever is signed in. What does not succeed is thrown as an `ApiFailure`. */
export async function request(address: string, options: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(address, { credentials: 'omit', cache: 'no-store', ...options })
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new ApiFailure('The server cannot be reached', { reason: 'unreachable' })
  }
  if (response.ok || response.status === 304) return response
  throw await failureOf(response)
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>
  const failure = failureFrom(answer, response)
  // A token that was revoked or has expired is of no more use.
  if (response.status === 401) forgetToken()
  return failure
}

/** Also for answers that come with status 200 but with the code of a failure. */
export function failureFrom(answer: Record<string, unknown>, response: Response): ApiFailure {
  const details = (answer['data'] ?? answer) as Record<string, unknown>
  return new ApiFailure(String(answer['message'] ?? answer['msg'] ?? `HTTP ${response.status}`), {
    reason: String(details['reason'] ?? 'unknown'),
    code: Number(answer['code'] ?? 0),
    status: response.status,
    errors: (details['errors'] ?? []) as { path: string; message: string }[],
    traceId: response.headers.get('x-traceid') ?? '',
    details: answer,
  })
}
