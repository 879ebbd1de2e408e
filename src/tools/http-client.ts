/** A body that is sent while it is read, so that files of any size fit. */
export interface StreamedBody {
  /** In bytes. */
  readonly size: number
  /** Another call reads it again from the start. */
  read(): AsyncIterable<Uint8Array>
}

export interface HttpRequest {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body?: string | Uint8Array | StreamedBody | undefined
  signal: AbortSignal
  timeoutMilliseconds: number
}

export interface HttpAnswer {
  status: number
  /** By their names in lower case. */
  headers: Record<string, string>
  /** The body as text in its declared encoding; empty where the body is not text. */
  text: string
  /** A body that is not text, by its declared type, or that the server sends as an attachment. */
  bytes?: Uint8Array | undefined
}

/** Calls URLs that users and models choose; private addresses are refused. */
export interface HttpClient {
  /** Any status is a result. Fails with a `ToolFailure`, or with the reason of the aborted signal. */
  request(request: HttpRequest): Promise<HttpAnswer>
}
