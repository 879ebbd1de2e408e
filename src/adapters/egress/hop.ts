import { isIP, type LookupFunction } from 'node:net'
import { type AllowList, plainHost } from './allow-list.ts'
import { EgressFailure } from './egress-failure.ts'
import { guardedLookup, type Resolve } from './guarded-lookup.ts'
import { isPublicAddress } from './public-address.ts'

/** One request on the wire, judged and ready to be sent. */
export interface Hop {
  url: URL
  /** Without brackets, as sockets take it. */
  host: string
  port: number
  trusted: boolean
  lookup: LookupFunction
}

export interface HopRules {
  allow: AllowList
  /** Open on every host of the public internet. */
  ports: number[]
  resolve: Resolve
}

export function parseUrl(text: string | URL, base?: URL): URL {
  if (!URL.canParse(String(text), base?.href))
    throw new EgressFailure('blocked', 'This is not a URL: write it in full, beginning with https://')
  return new URL(text, base?.href)
}

function checkForm(url: URL): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new EgressFailure('blocked', `Only http and https may be called, not ${url.protocol}`)
  if (url.username || url.password)
    throw new EgressFailure('blocked', 'A URL may not hold a user name or password: send them in a header')
}

/** Judges a URL. What can be told from its spelling is refused here, the rest when its name is resolved. */
export function judgeHop(url: URL, trusted: boolean, { allow, ports, resolve }: HopRules): Hop {
  checkForm(url)
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const known = trusted || allow.hasHost(plainHost(url.hostname), port)
  const ordinaryPort = ports.includes(port)
  const permits = (address: string): boolean =>
    known || allow.hasAddress(address) || (ordinaryPort && isPublicAddress(address))
  const refusal = (): EgressFailure =>
    new EgressFailure(
      'blocked',
      ordinaryPort
        ? `${url.host} may not be called: it is not on the public internet. ` +
            'The operator can allow it with EGRESS_ALLOW'
        : `${url.host} may not be called: only the ports ${ports.join(', ')} are open. ` +
            'The operator can allow it with EGRESS_ALLOW',
    )
  const hopeless = !known && !ordinaryPort && allow.isByNameOnly
  // A socket does not look up what is an address already.
  if (hopeless || (isIP(host) !== 0 && !permits(host))) throw refusal()
  return { url, host, port, trusted, lookup: guardedLookup(resolve, permits, refusal) }
}
