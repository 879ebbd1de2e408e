import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/app-error.ts'

/**
 * Aborted when nobody waits for the answer any more, or when the server stops: for handlers that wait long. Its reason
 * is what the client is told, where it is still there. Made before anything is waited for, it misses nothing.
 */
export function callerSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const { stopping } = request.server
  const stop = (): void =>
    controller.abort(new AppError('unavailable', 'The server stops; send the same request again in a moment'))
  const leave = (): void => {
    stopping.removeEventListener('abort', stop)
    controller.abort(new AppError('malformed_http', 'The client went away'))
  }
  if (reply.raw.destroyed || reply.raw.closed) {
    leave()
    return controller.signal
  }
  if (stopping.aborted) stop()
  stopping.addEventListener('abort', stop)
  reply.raw.once('close', leave)
  return controller.signal
}
