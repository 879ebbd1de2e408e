import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface SilentConnections {
  /** A request came. */
  spoke(socket: Socket): void
  close(): void
}

/**
 * Connections that have not asked for anything yet, as browsers open them ahead of time. Node does not count them as
 * idle, so that a stop would wait for each until it is cut off.
 */
export function silentConnections(server: Server): SilentConnections {
  const silent = new Set<Socket>()
  server.on('connection', socket => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  return {
    spoke: socket => void silent.delete(socket),
    close: () => {
      for (const socket of silent) socket.destroy()
    },
  }
}
