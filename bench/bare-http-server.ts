import { createServer, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface BareAnswer {
  headers: OutgoingHttpHeaders
  body: string
}

/** The bare limit of an HTTP answer: node:http giving the same bytes to everybody. */
process.once('message', ({ headers, body }: BareAnswer) => {
  const server = createServer((_, response) => {
    response.writeHead(200, headers)
    response.end(body)
  })
  server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))
})
