import type { IncomingMessage } from 'node:http'
import { EgressFailure } from './egress-failure.ts'
import type { Message } from './exchange.ts'
import { parseUrl } from './hop.ts'
import { withoutCredentials } from './sent-headers.ts'

const redirects = new Set([301, 302, 303, 307, 308])

/** Where an answer sends the caller on to, if it does and if that may be followed. */
export function redirectTarget(response: IncomingMessage, from: URL, method: string): URL | undefined {
  const { location } = response.headers
  if (!redirects.has(response.statusCode ?? 0) || location === undefined) return undefined
  // Whoever posts something meant it for this place.
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const to = parseUrl(location, from)
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw new EgressFailure('blocked', `${from.host} redirects from https to http, which is not followed`)
  return to
}

/** What is sent on: the same, but secrets stay with the origin they were meant for. */
export const redirected = (message: Message, from: URL, to: URL): Message =>
  from.origin === to.origin ? message : { ...message, headers: withoutCredentials(message.headers) }
