import type { IncomingMessage } from 'node:http'
import { limits } from '../contract/limits.ts'

/**
 * Takes the unread rest of a refused request off the line. A connection closed with data still coming resets,
 * and the client would lose the very answer that says what was wrong. Beyond a bound it is cut all the same.
 */
export function drain(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return
  let bytes = 0
  const cut = (): void => {
    request.socket.destroy()
  }
  const timer = setTimeout(cut, limits.drainMilliseconds)
  timer.unref()
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > limits.drainBytes) cut()
  })
  request.once('close', () => clearTimeout(timer))
  request.once('end', () => clearTimeout(timer))
  request.once('error', () => clearTimeout(timer))
  request.resume()
}
