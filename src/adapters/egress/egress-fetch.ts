import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Egress, EgressRequest, EgressResponse } from './egress.ts'

type Fetch = typeof globalThis.fetch

const withoutBody = new Set([204, 205, 304])

function headersOf(response: EgressResponse): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(response.headers))
    for (const each of [value ?? []].flat()) headers.append(name, each)
  return headers
}

/** The outbound client as a `fetch` for libraries. The response body streams; the request body is sent whole. */
export function egressFetch(
  egress: Egress,
  options: Pick<EgressRequest, 'timeouts' | 'maxBytes' | 'trusted'> = {},
): Fetch {
  return async (input, init) => {
    // Encodes every kind of body, forms with their boundary included.
    const request = new Request(input, init)
    const response = await egress.request(request.url, {
      ...options,
      method: request.method,
      headers: Object.fromEntries(request.headers),
      ...(request.body ? { body: new Uint8Array(await request.arrayBuffer()) } : {}),
      // The request's own signal follows the caller's only while the request is not garbage-collected.
      signal: init?.signal ?? request.signal,
    })
    const { status } = response
    const head = { status, headers: headersOf(response) }
    if (!withoutBody.has(status))
      return new Response(Readable.toWeb(response.body) as ReadableStream<Uint8Array>, head)
    response.body.resume()
    return new Response(null, head)
  }
}
