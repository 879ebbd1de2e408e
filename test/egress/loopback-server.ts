import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface LoopbackServer {
  port: number
  origin: string
  /** Opened connections, whether anything was sent over them or not. */
  connections: number
  /** Currently open connections. */
  open: number
  requests: IncomingMessage[]
  close(): Promise<void>
}

/** A server on loopback that counts its connections. */
export async function startLoopbackServer(
  answer: RequestListener = (_request, response) => response.end('reached'),
): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    noted.requests.push(request)
    answer(request, response)
  })
  const noted: LoopbackServer = {
    port: 0,
    origin: '',
    connections: 0,
    open: 0,
    requests: [],
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  server.on('connection', socket => {
    noted.connections++
    noted.open++
    socket.on('close', () => noted.open--)
  })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  noted.port = (server.address() as AddressInfo).port
  noted.origin = `http://127.0.0.1:${noted.port}`
  return noted
}
