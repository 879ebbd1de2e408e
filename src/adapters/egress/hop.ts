import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { type AllowList, plainHost } from '../../kernel/allow-list.ts'
import { harmlessHeaders } from '../../kernel/harmless-headers.ts'
import { isPublicAddress } from './address-rules.ts'
import { EgressFailure } from './egress.ts'

interface ResolvedAddress {
  address: string
  family: number
}

export type Resolve = (name: string) => Promise<ResolvedAddress[]>

export const systemResolve: Resolve = name => lookup(name, { all: true })

/** One request on the wire, checked and ready to be sent; a redirect is another hop. */
export interface Hop {
  url: URL
  /** Without brackets, as sockets take it. */
  host: string
  port: number
  trusted: boolean
  lookup: LookupFunction
}

interface HopRules {
  allow: AllowList
  /** Open on every host of the public internet. */
  ports: number[]
  resolve: Resolve
}

const blocked = (message: string): EgressFailure => new EgressFailure('blocked', message)

export function parseUrl(text: string | URL, base?: URL): URL {
  const url = URL.parse(String(text), base?.href)
  if (!url) throw blocked('This is not a URL: write it in full, beginning with https://')
  return url
}

function checkForm(url: URL): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw blocked(`Only http and https may be called, not ${url.protocol}`)
  if (url.username || url.password)
    throw blocked('A URL must not contain a user name or password: send them in a header')
}

/** Refuses a URL for what its text shows; the addresses are checked when its name is resolved. */
export function checkHop(url: URL, trusted: boolean, { allow, ports, resolve }: HopRules): Hop {
  checkForm(url)
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const isAllowedHost = trusted || allow.hasHost(plainHost(url.hostname), port)
  const isOpenPort = ports.includes(port)
  const permits = (address: string): boolean =>
    isAllowedHost || allow.hasAddress(address) || (isOpenPort && isPublicAddress(address))
  const reason = isOpenPort
    ? 'it is not on the public internet'
    : `only the ports ${ports.join(', ')} are open`
  const refusal = (): EgressFailure =>
    blocked(`${url.host} may not be called: ${reason}. The operator can allow it with EGRESS_ALLOW`)
  const isNeverPermitted = !isAllowedHost && !isOpenPort && allow.isByNameOnly
  // A socket does not look up a host that is an address already.
  if (isNeverPermitted || (isIP(host) !== 0 && !permits(host))) throw refusal()
  return { url, host, port, trusted, lookup: guardedLookup(resolve, permits, url.host) }
}

/** All causes have one message and one kind, so that a caller cannot find out which names exist in the internal network. */
const unknownName = (host: string): EgressFailure =>
  new EgressFailure(
    'unreachable',
    `${host} cannot be reached: there is no such host, or it is not on the public internet. ` +
      'Check its spelling; the operator can allow an internal host with EGRESS_ALLOW',
  )

/**
 * The lookup function of the socket. It resolves once and returns exactly the addresses that were checked, so a name
 * that resolves differently the second time (DNS rebinding) gains nothing. One forbidden address condemns the name:
 * a mix of public and private addresses is an attack.
 */
function guardedLookup(
  resolve: Resolve,
  permits: (address: string) => boolean,
  host: string,
): LookupFunction {
  const checked = async (name: string): Promise<ResolvedAddress[]> => {
    const found = await resolve(name).catch(() => [])
    if (found.length === 0 || !found.every(({ address }) => permits(address))) throw unknownName(host)
    return found
  }
  return (name, options, callback) => {
    checked(name).then(
      found => (options.all ? callback(null, found) : callback(null, found[0]!.address, found[0]!.family)),
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }
}

const redirects = new Set([301, 302, 303, 307, 308])

/** Where a response redirects to; undefined when it is no redirect. */
export function redirectTarget(response: IncomingMessage, from: URL): URL | undefined {
  const { location } = response.headers
  if (!redirects.has(response.statusCode ?? 0) || location === undefined) return undefined
  const to = parseUrl(location, from)
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw blocked(`${from.host} redirects from https to http, which is not followed`)
  return to
}

/** Headers that describe the connection, which is ours. `host` is not listed because it is always overwritten. */
const connectionHeader =
  /^(connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-(connection|authorization))$/

/** The caller's headers in lower case. Compression is asked for only if the caller does. */
export function sentHeaders(given: Record<string, string>): Record<string, string> {
  const entries = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const)
  return {
    'accept-encoding': 'identity',
    ...Object.fromEntries(entries.filter(([name]) => !connectionHeader.test(name))),
  }
}

export const isSafeMethod = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** The changes of a request for the target of a redirect, as in fetch; undefined if it is not repeated there. */
export function redirectedMessage(
  status: number,
  { method, headers }: { method: string; headers: Record<string, string> },
  from: URL,
  to: URL,
): { method?: string; body?: undefined; headers: Record<string, string> } | undefined {
  const kept = redirectedHeaders(headers, from, to)
  if (isSafeMethod(method)) return { headers: kept }
  if (status === 303 || (method === 'POST' && status < 303)) {
    const entries = Object.entries(kept).filter(([name]) => !/^(content-|idempotency-key$)/.test(name))
    return { method: 'GET', body: undefined, headers: Object.fromEntries(entries) }
  }
  // The body, and the effect, were meant for the first server only.
  const isUpgrade = from.hostname === to.hostname && from.protocol === 'http:' && to.protocol === 'https:'
  return from.origin === to.origin || isUpgrade ? { headers: kept } : undefined
}

/** Any header may be a credential, which stays with the origin it was meant for. */
const redirectedHeaders = (headers: Record<string, string>, from: URL, to: URL): Record<string, string> =>
  from.origin === to.origin
    ? headers
    : Object.fromEntries(Object.entries(headers).filter(([name]) => harmlessHeaders.has(name)))
