import { isIPv6 } from 'node:net'
import type { TokenRecord } from '../access/access-store.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Exchange } from '../kernel/exchange.ts'
import { type Bucket, Buckets, SharedCalls } from './call-buckets.ts'

/** Seconds until the bucket has this many calls. */
const secondsUntil = (calls: number, bucket: Bucket, perMinute: number): number =>
  Math.max(0, Math.ceil(((calls - bucket.calls) * 60) / perMinute))

function refuseEmpty(bucket: Bucket, perMinute: number, calls: string): void {
  if (bucket.calls >= 1) return
  const seconds = secondsUntil(1, bucket, perMinute)
  throw new AppError(
    'rate_limited',
    `More than ${perMinute} ${calls} per minute; try again in ${seconds} s`,
    {
      headers: { 'retry-after': String(seconds), ...headersOf(bucket, perMinute) },
    },
  )
}

const headersOf = (bucket: Bucket, perMinute: number): Record<string, string> => ({
  'ratelimit-limit': String(perMinute),
  'ratelimit-remaining': String(Math.floor(bucket.calls)),
  'ratelimit-reset': String(secondsUntil(perMinute, bucket, perMinute)),
})

/** Some proxies append the port of the client. */
const withPort = /^(?:(\d+\.\d+\.\d+\.\d+):\d+|\[([^\]]+)\](?::\d+)?)$/

/** An IPv6 client has many addresses with the same first 64 bits. Unknown for a client that has disconnected. */
export function networkOf(given = ''): string {
  const [, ipv4, ipv6] = withPort.exec(given) ?? []
  const address = ipv4 ?? ipv6 ?? given
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const plain = address.split('%', 1)[0]!
  if (!isIPv6(plain)) return address
  const [head = '', tail] = plain.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':').length + (tail.includes('.') ? 1 : 0) : 0
  if (tail !== undefined) while (groups.length < 8 - after) groups.push('0')
  if (tail) groups.push(...tail.split(':'))
  const network = groups.slice(0, 4).map(group => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}

export interface RequestRates {
  publicCallsPerMinute: number
  wrongTokensPerMinute: number
  tokenCallsPerMinute: number
  workspaceCallsPerMinute: number
}

/** Limits the rate of requests of each caller; 0 is unlimited. Replicas also count each other's calls, a moment later. */
export class RequestLimiter {
  readonly #rates: RequestRates
  readonly #anonymous: Buckets
  readonly #wrongTokens: Buckets
  readonly #tokens: Buckets
  readonly #workspaces: Buckets

  /** Without an exchange this process is alone. */
  constructor(rates: Partial<RequestRates>, clock: Clock, exchange?: Exchange) {
    this.#rates = {
      ...{ publicCallsPerMinute: 0, wrongTokensPerMinute: 0 },
      ...{ tokenCallsPerMinute: 0, workspaceCallsPerMinute: 0, ...rates },
    }
    const shared = exchange && new SharedCalls(exchange)
    this.#anonymous = new Buckets(clock, 'anonymous', shared)
    this.#wrongTokens = new Buckets(clock, 'wrong tokens', shared)
    this.#tokens = new Buckets(clock, 'tokens', shared)
    this.#workspaces = new Buckets(clock, 'workspaces', shared)
  }

  /** A call without a token. */
  takeAnonymous(address: string): void {
    const rate = this.#rates.publicCallsPerMinute
    if (rate === 0) return
    const bucket = this.#anonymous.of(networkOf(address), rate)
    refuseEmpty(bucket, rate, 'calls without a token from this address')
    this.#anonymous.take(bucket)
  }

  /** Called before a token that was not valid lately is looked up, or the secret of the given webhook is checked. */
  refuseGuessing(address: string, webhookId = ''): void {
    const rate = this.#rates.wrongTokensPerMinute
    const guesses = webhookId ? 'wrong secrets or signatures' : 'wrong tokens'
    if (rate > 0) refuseEmpty(this.#guesses(address, webhookId), rate, `${guesses} from this address`)
  }

  countWrongToken(address: string, webhookId = ''): void {
    if (this.#rates.wrongTokensPerMinute > 0) this.#wrongTokens.take(this.#guesses(address, webhookId))
  }

  #guesses(address: string, webhookId: string): Bucket {
    return this.#wrongTokens.of(`${networkOf(address)}${webhookId}`, this.#rates.wrongTokensPerMinute)
  }

  limits(token: TokenRecord): boolean {
    const { tokenCallsPerMinute, workspaceCallsPerMinute } = this.#rates
    return tokenCallsPerMinute > 0 || (token.limits?.callsPerMinute ?? workspaceCallsPerMinute) > 0
  }

  /** Counts a call with a token, or of a webhook. Returns the headers of the limit that is closer, if there is one. */
  take(token: Pick<TokenRecord, 'id' | 'workspaceId' | 'limits'>): Record<string, string> | undefined {
    const tokenRate = this.#rates.tokenCallsPerMinute
    const workspaceRate = token.limits?.callsPerMinute ?? this.#rates.workspaceCallsPerMinute
    const own = tokenRate > 0 ? this.#tokens.of(token.id, tokenRate) : undefined
    const shared = workspaceRate > 0 ? this.#workspaces.of(token.workspaceId, workspaceRate) : undefined
    // Checks both limits before it takes a call of either: a refused call must not count.
    if (own) refuseEmpty(own, tokenRate, 'calls with this token')
    if (shared) {
      refuseEmpty(shared, workspaceRate, 'calls in this workspace')
      this.#workspaces.take(shared)
    }
    if (own) this.#tokens.take(own)
    if (own && (!shared || own.calls <= shared.calls)) return headersOf(own, tokenRate)
    return shared && headersOf(shared, workspaceRate)
  }
}
