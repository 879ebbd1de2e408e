import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Egress, EgressAnswer, EgressRequest } from './egress.ts'

type Fetch = typeof globalThis.fetch

const withoutBody = new Set([204, 205, 304])

function headersOf(answer: EgressAnswer): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    for (const each of [value ?? []].flat()) headers.append(name, each)
  return headers
}

/** The egress behind the interface that libraries know. The answer's body flows; the request's is sent as a whole. */
export function egressFetch(
  egress: Egress,
  options: Pick<EgressRequest, 'timeouts' | 'maxBytes' | 'trusted'> = {},
): Fetch {
  return async (input, init) => {
    // Knows all that a body can be, forms with their boundary included.
    const request = new Request(input, init)
    const answer = await egress.request(request.url, {
      ...options,
      method: request.method,
      headers: Object.fromEntries(request.headers),
      ...(request.body ? { body: new Uint8Array(await request.arrayBuffer()) } : {}),
      // The request's own signal follows the caller's only while the request is not collected as garbage.
      signal: init?.signal ?? request.signal,
    })
    const { status } = answer
    const head = { status, headers: headersOf(answer) }
    if (!withoutBody.has(status))
      return new Response(Readable.toWeb(answer.body) as ReadableStream<Uint8Array>, head)
    answer.body.resume()
    return new Response(null, head)
  }
}
