import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { parseAllowList } from './allow-list.ts'
import { answerBody } from './answer-body.ts'
import type { Egress, EgressAnswer, EgressRequest } from './egress.ts'
import { EgressFailure, StaleConnection } from './egress-failure.ts'
import { exchange, type Message } from './exchange.ts'
import { type Resolve, systemResolve } from './guarded-lookup.ts'
import { type Hop, type HopRules, judgeHop, parseUrl } from './hop.ts'
import { type Lifetime, startLifetime } from './lifetime.ts'
import { redirected, redirectTarget } from './redirect.ts'
import { sentHeaders } from './sent-headers.ts'

interface EgressOptions {
  /** Hosts that may be called although private, on any port: `host`, `host:port`, `*.suffix` or a range (CIDR). */
  allow: string[]
  /** Open on every public host: 80 and 443 unless told. */
  ports?: number[]
  resolve?: Resolve
}

const defaults = {
  connectMilliseconds: 10_000,
  idleMilliseconds: 15_000,
  totalMilliseconds: 30_000,
  maxBytes: 10 << 20,
}

const maxRedirects = 3

/** Idle connections close before most servers would close them, so that few break on being used again. */
const agentOptions = { keepAlive: true, timeout: 4000, maxSockets: 2048, maxFreeSockets: 32 }

const agents = () => ({ 'http:': new http.Agent(agentOptions), 'https:': new https.Agent(agentOptions) })

class GuardedEgress implements Egress {
  readonly #rules: HopRules
  readonly #open = agents()
  /** Apart, or a call that is not trusted could be sent over a connection that only a trusted one may have. */
  readonly #trusted = agents()

  constructor(rules: HopRules) {
    this.#rules = rules
  }

  async request(address: string | URL, options: EgressRequest = {}): Promise<EgressAnswer> {
    const first = parseUrl(address)
    const { totalMilliseconds = defaults.totalMilliseconds } = options.timeouts ?? {}
    const life = startLifetime(first.host, totalMilliseconds, options.signal)
    try {
      return await this.#follow(first, options, life)
    } catch (error) {
      life.end()
      throw error
    }
  }

  async #follow(first: URL, options: EgressRequest, life: Lifetime): Promise<EgressAnswer> {
    let message = messageOf(options)
    let url = first
    for (let redirects = 0; ; redirects++) {
      const trusted = options.trusted === true && url.origin === first.origin
      const hop = judgeHop(url, trusted, this.#rules)
      const response = await this.#send(hop, message, life)
      try {
        const next = redirectTarget(response, url, message.method)
        if (!next) return answerOf(response, hop, message, options, life)
        if (redirects === maxRedirects)
          throw new EgressFailure('bad_answer', `${first.host} redirects more than ${maxRedirects} times`)
        message = redirected(message, url, next)
        url = next
      } catch (error) {
        response.destroy()
        throw error
      }
      response.destroy()
    }
  }

  async #send(hop: Hop, message: Message, life: Lifetime): Promise<IncomingMessage> {
    const agent = (hop.trusted ? this.#trusted : this.#open)[hop.url.protocol as 'http:' | 'https:']
    try {
      return await exchange(hop, message, agent, life)
    } catch (error) {
      // What changes nothing can be sent again; for the rest only the caller knows.
      if (!(error instanceof StaleConnection) || (message.method !== 'GET' && message.method !== 'HEAD'))
        throw error
      return exchange(hop, message, agent, life)
    }
  }

  close(): void {
    for (const agent of [...Object.values(this.#open), ...Object.values(this.#trusted)]) agent.destroy()
  }
}

const messageOf = ({ method = 'GET', headers = {}, body, timeouts = {} }: EgressRequest): Message => ({
  method: method.toUpperCase(),
  headers: sentHeaders(headers),
  body,
  connectMilliseconds: timeouts.connectMilliseconds ?? defaults.connectMilliseconds,
  idleMilliseconds: timeouts.idleMilliseconds ?? defaults.idleMilliseconds,
})

function answerOf(
  response: IncomingMessage,
  hop: Hop,
  message: Message,
  { maxBytes = defaults.maxBytes }: EgressRequest,
  life: Lifetime,
): EgressAnswer {
  const { host } = hop.url
  const declared = message.method === 'HEAD' ? 0 : Number(response.headers['content-length'] ?? 0)
  if (declared > maxBytes)
    throw new EgressFailure('too_large', `The answer of ${host} is larger than ${maxBytes} bytes`)
  const limits = { maxBytes, idleMilliseconds: message.idleMilliseconds }
  const body = answerBody(response, message.method, host, limits, life)
  const headers = { ...response.headers }
  if (headers['content-encoding'] !== undefined) {
    delete headers['content-encoding']
    delete headers['content-length']
  }
  return { status: response.statusCode ?? 0, headers, body, url: hop.url.href }
}

/** Throws when an entry of `allow` cannot be understood. */
export const createEgress = ({ allow, ports = [80, 443], resolve = systemResolve }: EgressOptions): Egress =>
  new GuardedEgress({ allow: parseAllowList(allow), ports, resolve })
