export interface HttpRequest {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body?: string | Uint8Array | undefined
  signal: AbortSignal
  timeoutMilliseconds: number
}

export interface HttpAnswer {
  status: number
  /** By their names in lower case. */
  headers: Record<string, string>
  /** The body as text in its declared encoding; empty where the body is not text. */
  text: string
  /** A body that is not text, by its declared type. */
  bytes?: Uint8Array | undefined
}

/** Calls URLs that users and models choose; private addresses are refused. */
export interface HttpClient {
  /** Any status is a result. Fails with a `ToolFailure`, or with the reason of the aborted signal. */
  request(request: HttpRequest): Promise<HttpAnswer>
}
