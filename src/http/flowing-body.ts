import type { IncomingMessage } from 'node:http'
import { limits } from '../contract/limits.ts'
import { AppError } from '../kernel/app-error.ts'

const slowAfterMilliseconds = 30_000
const slowestBytesPerSecond = 1024

/**
 * The body of an upload, chunk by chunk, for as long as it flows: one that stalls, or that drips to hold the
 * connection open, is given up. The request itself stays open, so that the client can be told.
 */
export async function* flowingBody(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  const iterator = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>
  const startedAt = performance.now()
  let lastAt = startedAt
  let bytes = 0
  let giveUp: (error: AppError) => void = () => {}

  const watch = setInterval(() => {
    const now = performance.now()
    const seconds = (now - startedAt) / 1000
    const dripping = now - startedAt > slowAfterMilliseconds && bytes < seconds * slowestBytesPerSecond
    if (dripping || now - lastAt > limits.bodyStallMilliseconds)
      giveUp(new AppError('request_timeout', 'The body came too slowly'))
  }, 1000)

  try {
    for (;;) {
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        giveUp = reject
        // Time that the disk takes to keep up is not the client's.
        lastAt = performance.now()
        iterator.next().then(resolve, reject)
      })
      if (next.done) return
      bytes += next.value.length
      yield next.value
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('malformed_http', 'The body broke off', { cause: error })
  } finally {
    clearInterval(watch)
    // Not waited for: after a stall its last step is still under way. It must let go of the request, else
    // whoever drains the rest gets nothing.
    iterator.return?.().catch(() => {})
  }
}
