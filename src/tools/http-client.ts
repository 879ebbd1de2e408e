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
  headers: Record<string, string>
  /** The body as text in its declared encoding. */
  text: string
}

/** Calls addresses that users and models choose; private ones are refused. */
export interface HttpClient {
  /** Any status is an answer. Fails with a `ToolFailure`, or with the reason of the aborted signal. */
  request(request: HttpRequest): Promise<HttpAnswer>
}
