import { createServer, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface BareAnswer {
  headers: OutgoingHttpHeaders
  body: string
}

/** The bare limit of an HTTP response: node:http sends the same bytes to every client, in its fastest way. */
process.once('message', ({ headers, body }: BareAnswer) => {
  const bytes = Buffer.from(body)
  const server = createServer((_, response) => {
    response.writeHead(200, headers)
    response.end(bytes)
  })
  server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))
})
