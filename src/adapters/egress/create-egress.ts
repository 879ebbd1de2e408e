import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { limits } from '../../contract/limits.ts'
import { parseAllowList } from '../../kernel/allow-list.ts'
import { followSignal } from '../../kernel/follow-signal.ts'
import { type Egress, EgressFailure, type EgressRequest, type EgressResponse } from './egress.ts'
import { exchange, type Message, responseBody, StaleConnection } from './exchange.ts'
import {
  checkHop,
  type Hop,
  isSafeMethod,
  parseUrl,
  type Resolve,
  redirectedMessage,
  redirectTarget,
  sentHeaders,
  systemResolve,
} from './hop.ts'

interface EgressOptions {
  /** Private hosts that may be called, on any port: `host`, `host:port`, `*.suffix` or a range (CIDR). */
  allow: string[]
  /** Ports that may be called on every public host; 80 and 443 by default. */
  ports?: number[]
  resolve?: Resolve
}

const defaultTimeouts = { connectMilliseconds: 10_000, idleMilliseconds: 15_000, totalMilliseconds: 30_000 }
const defaultMaxBytes = 10 << 20

/** Idle connections close before most servers would close them, so that few break on reuse. */
const agentOptions = { keepAlive: true, timeout: 4000, maxSockets: 2048, maxFreeSockets: 32 }

const openAgents = () => ({ 'http:': new http.Agent(agentOptions), 'https:': new https.Agent(agentOptions) })

/** Throws when an entry of `allow` cannot be parsed. */
export function createEgress({ allow, ports = [80, 443], resolve = systemResolve }: EgressOptions): Egress {
  const rules = { allow: parseAllowList(allow), ports, resolve }
  const agents = openAgents()
  /** Separate, or an untrusted call could reuse a connection that only a trusted one may open. */
  const trustedAgents = openAgents()

  async function send(hop: Hop, message: Message, isRepeatable: boolean): Promise<IncomingMessage> {
    const agent = (hop.trusted ? trustedAgents : agents)[hop.url.protocol as 'http:' | 'https:']
    try {
      return await exchange(hop, message, agent)
    } catch (error) {
      if (!(error instanceof StaleConnection && isRepeatable)) throw error
      return exchange(hop, message, agent)
    }
  }

  async function follow(first: URL, message: Message, options: EgressRequest, onEnd: () => void) {
    let url = first
    for (let redirects = 0; ; redirects++) {
      const isSafe = isSafeMethod(message.method)
      const trusted = options.trusted === true && url.origin === first.origin
      const response = await send(checkHop(url, trusted, rules), message, options.isRepeatable ?? isSafe)
      try {
        const isFollowed = isSafe ? options.redirect !== 'manual' : options.redirect === 'follow'
        const next = isFollowed ? redirectTarget(response, url) : undefined
        const redirected = next && redirectedMessage(response.statusCode!, message, url, next)
        if (!redirected) return responseOf(response, url, responseBody(response, message, url.host, onEnd))
        if (redirects === limits.redirects)
          throw new EgressFailure('bad_answer', `${first.host} redirects more than ${limits.redirects} times`)
        Object.assign(message, redirected)
        url = next
      } catch (error) {
        response.destroy()
        throw error
      }
      response.destroy()
    }
  }

  return {
    request: async (address, options = {}) => {
      const url = parseUrl(address)
      const { method = 'GET', headers = {}, body, maxBytes = defaultMaxBytes, signal } = options
      const { totalMilliseconds, ...timeouts } = { ...defaultTimeouts, ...options.timeouts }
      const { controller, release } = followSignal(signal)
      const timer = setTimeout(
        () => controller.abort(new EgressFailure('timed_out', `${url.host} took longer than allowed`)),
        totalMilliseconds,
      )
      const message: Message = {
        method: method.toUpperCase(),
        headers: sentHeaders(headers),
        body,
        maxBytes,
        ...timeouts,
        signal: controller.signal,
      }
      const onEnd = (): void => {
        clearTimeout(timer)
        release()
      }
      try {
        return await follow(url, message, options, onEnd)
      } catch (error) {
        onEnd()
        throw error
      }
    },
    close: () => {
      for (const agent of [...Object.values(agents), ...Object.values(trustedAgents)]) agent.destroy()
    },
  }
}

function responseOf(response: IncomingMessage, url: URL, body: EgressResponse['body']): EgressResponse {
  const headers = { ...response.headers }
  if (headers['content-encoding'] !== undefined) {
    delete headers['content-encoding']
    delete headers['content-length']
  }
  return { status: response.statusCode ?? 0, headers, body, url: url.href }
}
