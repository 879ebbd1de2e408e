import type { IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { HttpAnswer, HttpClient, HttpRequest } from '../../tools/http-client.ts'
import type { Egress } from './egress.ts'
import { toolFailureOfEgress } from './tool-failure-of-egress.ts'

const maxBytes = 10 << 20

/** Never trusted: whatever a user or a model writes as an address, private ones are refused. */
export const createHttpClient = (egress: Egress): HttpClient => ({
  request: async request => {
    try {
      return await send(egress, request)
    } catch (error) {
      throw toolFailureOfEgress(error, request.signal)
    }
  },
})

async function send(egress: Egress, request: HttpRequest): Promise<HttpAnswer> {
  const { method, headers, body, signal, timeoutMilliseconds } = request
  const answer = await egress.request(request.url, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    signal,
    maxBytes,
    timeouts: { idleMilliseconds: timeoutMilliseconds, totalMilliseconds: timeoutMilliseconds },
  })
  return {
    status: answer.status,
    headers: plainHeaders(answer.headers),
    text: decoderOf(answer.headers['content-type'] ?? '').decode(await buffer(answer.body)),
  }
}

const plainHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )

function decoderOf(contentType: string): { decode(bytes: Uint8Array): string } {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset)
  } catch {
    // An encoding that nobody knows; UTF-8 at least shows what of it is ASCII.
    return new TextDecoder()
  }
}
