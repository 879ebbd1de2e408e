import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { EgressFailure, StaleConnection, toEgressFailure } from './egress-failure.ts'
import type { Hop } from './hop.ts'
import type { Lifetime } from './lifetime.ts'

export interface Message {
  method: string
  headers: Record<string, string>
  body: string | Uint8Array | undefined
  connectMilliseconds: number
  idleMilliseconds: number
}

const maxHeaderBytes = 32 << 10

/** Node refuses at once what HTTP cannot express, such as a line break in a header. */
function open(hop: Hop, message: Message, agent: http.Agent): ClientRequest {
  try {
    return (hop.url.protocol === 'https:' ? https : http).request({
      // The parts and not the URL: it has been parsed, and a second parser might read it differently.
      host: hop.host,
      port: hop.port,
      path: hop.url.pathname + hop.url.search,
      method: message.method,
      headers: { ...message.headers, host: hop.url.host },
      lookup: hop.lookup,
      agent,
      maxHeaderSize: maxHeaderBytes,
      insecureHTTPParser: false,
    })
  } catch (error) {
    throw toEgressFailure(error, hop.url.host)
  }
}

/** Ends the request when it takes too long to connect, or to answer from then on. */
function watch(request: ClientRequest, hop: Hop, message: Message): () => void {
  const { host } = hop.url
  const fail = (text: string): void => {
    request.destroy(new EgressFailure('timed_out', text))
  }
  let timer = setTimeout(fail, message.connectMilliseconds, `${host} could not be reached in time`)
  const connected = (): void => {
    clearTimeout(timer)
    timer = setTimeout(fail, message.idleMilliseconds, `${host} did not answer in time`)
  }
  request.once('socket', (socket: Socket) => {
    if (!socket.connecting) connected()
    else socket.once(hop.url.protocol === 'https:' ? 'secureConnect' : 'connect', connected)
  })
  return () => clearTimeout(timer)
}

/** Sends one request and gives its answer as soon as the headers are here. Follows nothing. */
export async function exchange(
  hop: Hop,
  message: Message,
  agent: http.Agent,
  life: Lifetime,
): Promise<IncomingMessage> {
  if (life.signal.aborted) throw life.reason()
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = open(hop, message, agent)
  const unwatch = watch(request, hop, message)
  const stop = (): void => {
    request.destroy(life.reason())
  }
  life.signal.addEventListener('abort', stop, { once: true })
  const settle = (): void => {
    unwatch()
    life.signal.removeEventListener('abort', stop)
  }
  request.on('error', error => {
    settle()
    if (life.signal.aborted) return reject(life.reason())
    const stale = request.reusedSocket && !(error instanceof EgressFailure)
    reject(stale ? new StaleConnection(hop.url.host) : toEgressFailure(error, hop.url.host))
  })
  request.on('response', response => {
    settle()
    // Whoever reads it hears of its errors; until then nobody would, and that would end the process.
    response.on('error', () => {})
    resolve(response)
  })
  request.end(message.body)
  return promise
}
