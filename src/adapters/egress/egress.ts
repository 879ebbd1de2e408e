import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

export interface EgressTimeouts {
  /** For the name, the connection and its encryption. */
  connectMilliseconds?: number
  /** Longest silence of the other side, before the headers of its answer and between parts of its body. */
  idleMilliseconds?: number
  /** For everything, redirects and the whole body included. */
  totalMilliseconds?: number
}

export interface EgressRequest {
  /** GET unless told. */
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  signal?: AbortSignal | undefined
  timeouts?: EgressTimeouts
  /** Largest body of the answer, as unpacked. */
  maxBytes?: number
  /** For a URL that the operator has set: its origin, and no other, may be private and have any port. */
  trusted?: boolean
}

export interface EgressAnswer {
  status: number
  /** Without those that described the transfer when the body was unpacked. */
  headers: IncomingHttpHeaders
  /** Must be read to its end or destroyed; otherwise its connection is held until the time is up. */
  body: Readable
  /** Where it came from, after redirects. */
  url: string
}

/** The one way out to the network. */
export interface Egress {
  /**
   * Redirects of GET and HEAD are followed, three at most; others are answers like any other.
   * Fails with an `EgressFailure`, or with the reason of an aborted signal.
   */
  request(url: string | URL, options?: EgressRequest): Promise<EgressAnswer>
  /** Closes idle connections and those under way. */
  close(): void
}
