import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type ParseOptions, parseInPieces } from '../../kernel/parse-in-pieces.ts'
import { inSlices } from '../../kernel/slices.ts'
import type { StreamedBody } from '../../tools/http-client.ts'

export interface EgressTimeouts {
  /** For DNS, TCP and TLS together. */
  connectMilliseconds?: number
  /** Longest silence of the server, before the headers of its response and between parts of its body. */
  idleMilliseconds?: number
  /** For the whole exchange, including redirects and the body. */
  totalMilliseconds?: number
}

export interface EgressRequest {
  /** Defaults to GET. */
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array | StreamedBody
  signal?: AbortSignal | undefined
  timeouts?: EgressTimeouts
  /** Largest body of the response, counted after decompression. */
  maxBytes?: number
  /** For a URL that the operator configured: its origin, and no other, may be private and on any port. */
  trusted?: boolean
  /** Whether to send it again when a reused connection turns out to be closed; by default GET and HEAD only. */
  isRepeatable?: boolean
  /** `manual`: no redirect is followed. `follow`: all are, as in fetch, but a body stays with its server. */
  redirect?: 'manual' | 'follow'
}

export interface EgressResponse {
  status: number
  /** Without `content-encoding` and `content-length` when the body was decompressed. */
  headers: IncomingHttpHeaders
  /** Must be read to its end or destroyed; otherwise its connection stays open until the total timeout. */
  body: Readable
  /** The final URL, after redirects. */
  url: string
}

/** The outbound HTTP client: every request that leaves the server goes through it. */
export interface Egress {
  /**
   * Redirects of GET and HEAD are followed, three at most; other redirects are returned like any response, unless
   * `redirect` says otherwise.
   * Fails with an `EgressFailure`, or with the reason of an aborted signal.
   */
  request(url: string | URL, options?: EgressRequest): Promise<EgressResponse>
  /** Closes all connections, idle and active. */
  close(): void
}

/**
 * `blocked`: we refuse to send it; `unreachable`: no connection, or it broke; `timed_out`, `too_large`: a limit of
 * ours; `bad_answer`: the response is not valid HTTP, or redirects too often.
 */
export type EgressFailureKind = 'blocked' | 'unreachable' | 'timed_out' | 'too_large' | 'bad_answer'

/** The message names the host as written and never the address behind it, so there is no `cause`. */
export class EgressFailure extends Error {
  readonly kind: EgressFailureKind

  constructor(kind: EgressFailureKind, message: string) {
    super(message)
    this.name = 'EgressFailure'
    this.kind = kind
  }
}

/** Headers with one text each. */
export const plainHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )

/** The whole body as text, without a byte order mark. Its size is bounded by `maxBytes` of the request. */
export const readText = async (response: EgressResponse): Promise<string> =>
  new TextDecoder().decode(await buffer(response.body))

/** Servers end a complete response at once, with few exceptions. */
const drainMilliseconds = 1000

/** Discards the rest of a response, so that its connection can be reused. */
export function drain(body: Readable): Promise<void> {
  const timer = setTimeout(() => body.destroy(), drainMilliseconds).unref()
  return new Promise(resolve => {
    if (body.closed) resolve()
    body.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
    body.resume()
  })
}

/** Undefined where a text is not JSON. */
export async function parseJson(text: string, options?: ParseOptions): Promise<unknown> {
  try {
    return await inSlices(parseInPieces(text, options))
  } catch {
    return undefined
  }
}
