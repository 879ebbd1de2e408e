import type { IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { HttpAnswer, HttpClient, HttpRequest } from '../../tools/http-client.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import { type Egress, EgressFailure } from './egress.ts'

const maxBytes = 10 << 20

/** Never trusted: private addresses are refused whatever URL a user or a model writes. */
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
  const response = await egress.request(request.url, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    signal,
    maxBytes,
    timeouts: { idleMilliseconds: timeoutMilliseconds, totalMilliseconds: timeoutMilliseconds },
  })
  return {
    status: response.status,
    headers: plainHeaders(response.headers),
    text: decoderOf(response.headers['content-type'] ?? '').decode(await buffer(response.body)),
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
    // An unknown encoding; UTF-8 at least shows its ASCII part.
    return new TextDecoder()
  }
}

/**
 * The failure of a tool whose request failed. An aborted signal comes first, because it is the cause. Messages of
 * `EgressFailure` name the host as it was written and nothing behind it, so they can be shown unchanged.
 */
export function toolFailureOfEgress(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (!(error instanceof EgressFailure)) return error
  const retryable = error.kind === 'unreachable' || error.kind === 'timed_out'
  return new ToolFailure(error.message, { retryable })
}
