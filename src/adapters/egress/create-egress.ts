import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { parseAllowList } from './address-rules.ts'
import {
  type Egress,
  EgressFailure,
  type EgressRequest,
  type EgressResponse,
  StaleConnection,
} from './egress.ts'
import { Deadline, exchange, type Message, responseBody, tooLarge } from './exchange.ts'
import {
  type Hop,
  type HopRules,
  judgeHop,
  parseUrl,
  type Resolve,
  redirectedHeaders,
  redirectTarget,
  sentHeaders,
  systemResolve,
} from './hop.ts'

interface EgressOptions {
  /** Private hosts that may be called, on any port: `host`, `host:port`, `*.suffix` or a range (CIDR). */
  allow: string[]
  /** Open on every public host; 80 and 443 by default. */
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

/** Idle connections close before most servers would close them, so that few break on reuse. */
const agentOptions = { keepAlive: true, timeout: 4000, maxSockets: 2048, maxFreeSockets: 32 }

const agents = () => ({ 'http:': new http.Agent(agentOptions), 'https:': new https.Agent(agentOptions) })

class GuardedEgress implements Egress {
  readonly #rules: HopRules
  readonly #agents = agents()
  /** Separate, or an untrusted call could reuse a connection that only a trusted one may open. */
  readonly #trustedAgents = agents()

  constructor(rules: HopRules) {
    this.#rules = rules
  }

  async request(address: string | URL, options: EgressRequest = {}): Promise<EgressResponse> {
    const first = parseUrl(address)
    const { totalMilliseconds = defaults.totalMilliseconds } = options.timeouts ?? {}
    const deadline = new Deadline(first.host, totalMilliseconds, options.signal)
    try {
      return await this.#follow(first, options, deadline)
    } catch (error) {
      deadline.clear()
      throw error
    }
  }

  async #follow(first: URL, options: EgressRequest, deadline: Deadline): Promise<EgressResponse> {
    const message = messageOf(options)
    let url = first
    for (let redirects = 0; ; redirects++) {
      const trusted = options.trusted === true && url.origin === first.origin
      const hop = judgeHop(url, trusted, this.#rules)
      const response = await this.#send(hop, message, deadline)
      try {
        const next = redirectTarget(response, url, message.method)
        if (!next) return responseOf(response, hop, message, options, deadline)
        if (redirects === maxRedirects)
          throw new EgressFailure('bad_answer', `${first.host} redirects more than ${maxRedirects} times`)
        message.headers = redirectedHeaders(message.headers, url, next)
        url = next
      } catch (error) {
        response.destroy()
        throw error
      }
      response.destroy()
    }
  }

  async #send(hop: Hop, message: Message, deadline: Deadline): Promise<IncomingMessage> {
    const agent = (hop.trusted ? this.#trustedAgents : this.#agents)[hop.url.protocol as 'http:' | 'https:']
    try {
      return await exchange(hop, message, agent, deadline)
    } catch (error) {
      // Only safe methods are repeated here; for the others the caller decides.
      if (!(error instanceof StaleConnection) || (message.method !== 'GET' && message.method !== 'HEAD'))
        throw error
      return exchange(hop, message, agent, deadline)
    }
  }

  close(): void {
    for (const agent of [...Object.values(this.#agents), ...Object.values(this.#trustedAgents)])
      agent.destroy()
  }
}

const messageOf = ({ method = 'GET', headers = {}, body, timeouts = {} }: EgressRequest): Message => ({
  method: method.toUpperCase(),
  headers: sentHeaders(headers),
  body,
  connectMilliseconds: timeouts.connectMilliseconds ?? defaults.connectMilliseconds,
  idleMilliseconds: timeouts.idleMilliseconds ?? defaults.idleMilliseconds,
})

function responseOf(
  response: IncomingMessage,
  { url }: Hop,
  message: Message,
  { maxBytes = defaults.maxBytes }: EgressRequest,
  deadline: Deadline,
): EgressResponse {
  const declared = message.method === 'HEAD' ? 0 : Number(response.headers['content-length'] ?? 0)
  if (declared > maxBytes) throw tooLarge(url.host, maxBytes)
  const body = responseBody(response, message, url.host, maxBytes, deadline)
  const headers = { ...response.headers }
  if (headers['content-encoding'] !== undefined) {
    delete headers['content-encoding']
    delete headers['content-length']
  }
  return { status: response.statusCode ?? 0, headers, body, url: url.href }
}

/** Throws when an entry of `allow` cannot be parsed. */
export const createEgress = ({ allow, ports = [80, 443], resolve = systemResolve }: EgressOptions): Egress =>
  new GuardedEgress({ allow: parseAllowList(allow), ports, resolve })
