import type { IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { limits } from '../../contract/limits.ts'
import type { HttpClient } from '../../tools/http-client.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import { type Egress, EgressFailure, plainHeaders } from './egress.ts'

/** Never trusted: private addresses are refused whatever URL a user or a model writes. */
export const createHttpClient = (egress: Egress): HttpClient => ({
  request: async ({ url, timeoutMilliseconds, ...request }) => {
    const timeouts = { idleMilliseconds: timeoutMilliseconds, totalMilliseconds: timeoutMilliseconds }
    try {
      const options = { ...request, maxBytes: limits.responseBytes, timeouts, redirect: 'follow' as const }
      const { status, headers, body } = await egress.request(url, options)
      const type = headers['content-type'] ?? ''
      const bytes = await buffer(body)
      const answer = { status, headers: plainHeaders(headers) }
      if (!isText(type)) return { ...answer, text: '', bytes }
      const text = decoderOf(type).decode(bytes)
      return isAttachment(headers) ? { ...answer, text, bytes } : { ...answer, text }
    } catch (error) {
      throw toolFailureOfEgress(error, request.signal)
    }
  },
})

/** A response without a type, or with one that is not known to be binary, is taken for text. */
const isText = (contentType: string): boolean => {
  const type = contentType.split(';')[0]!.trim().toLowerCase()
  if (/^(image|audio|video|font|model)\//.test(type)) return type === 'image/svg+xml'
  return !binaryTypes.test(type)
}

const isAttachment = ({ 'content-disposition': disposition = '' }: IncomingHttpHeaders): boolean =>
  /^\s*attachment\s*(;|$)/i.test(disposition)

const binaryTypes =
  /^application\/(octet-stream|pdf|zip|gzip|x-(7z|tar|rar|gzip)[\w-]*|msword|vnd\.(ms-|openxmlformats|oasis\.opendocument|rar).*|epub\+zip|wasm|ogg|mp4)$/

function decoderOf(contentType: string): { decode(bytes: Uint8Array): string } {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset)
  } catch {
    // An unknown encoding; UTF-8 at least shows its ASCII part.
    return new TextDecoder()
  }
}

/** An aborted signal comes first, because it is the cause. Messages of `EgressFailure` can be shown. */
export function toolFailureOfEgress(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (!(error instanceof EgressFailure)) return error
  const retryable = error.kind === 'unreachable' || error.kind === 'timed_out'
  return new ToolFailure(error.message, { retryable })
}
