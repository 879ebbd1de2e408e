import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** Names and values alternate, exactly as they were sent. */
  rawHeaders: string[]
  body: string
}

export interface SinkAnswer {
  status?: number
  headers?: Record<string, string>
  json?: unknown
}

export interface SinkServer {
  origin: string
  received: ReceivedRequest[]
  /** Decides on every following request; undefined is a plain success. */
  answer(rule: (request: ReceivedRequest) => SinkAnswer | undefined | Promise<SinkAnswer | undefined>): void
  stop(): Promise<void>
}

/** A third-party server on loopback that records every request. */
export async function startSinkServer(): Promise<SinkServer> {
  const received: ReceivedRequest[] = []
  let rule: Parameters<SinkServer['answer']>[0] = () => undefined
  const server = createServer(async (incoming, response) => {
    const body = await text(incoming).catch(() => undefined)
    if (body === undefined) return
    const { method = '', url = '', headers, rawHeaders } = incoming
    const request = { method, path: url, headers, rawHeaders, body }
    received.push(request)
    const { status = 200, headers: more, json } = (await rule(request)) ?? {}
    response.writeHead(status, { 'content-type': 'application/json', ...more })
    response.end(JSON.stringify(json ?? { taken: received.length }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: next => {
      rule = next
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
