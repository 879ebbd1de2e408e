import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '../contract/limits.ts'

/**
 * Takes the unread rest of a refused request off the line before it is answered: Node closes a connection
 * whose request was not read, and a client that is still sending would lose the very answer that says what
 * was wrong. Beyond a bound the answer goes out all the same.
 */
export function drain(request: IncomingMessage): Promise<void> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (request.complete || request.destroyed || declared > limits.drainBytes) return Promise.resolve()
  return new Promise(resolve => {
    let bytes = 0
    const finish = (): void => {
      clearTimeout(timer)
      request.off('data', onData).off('end', finish).off('close', finish).off('error', finish)
      resolve()
    }
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes > limits.drainBytes) finish()
    }
    const timer = setTimeout(finish, limits.drainMilliseconds)
    request.on('data', onData).on('end', finish).on('close', finish).on('error', finish)
    request.resume()
  })
}

/** Who goes on sending after the answer, or never closes a refused connection, is cut off after a while. */
export function cutOffLater(socket: Socket, unlessClosed: EventEmitter): void {
  const cut = setTimeout(() => socket.destroy(), limits.drainMilliseconds).unref()
  unlessClosed.once('close', () => clearTimeout(cut))
}
