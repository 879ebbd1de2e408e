/**
 * Request headers that never hold a credential. Any other header might, whatever its name: a redirect to another origin
 * does not carry it, and its value is masked where it is shown.
 */
export const harmlessHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'accept-charset', 'accept-encoding', 'accept-language', 'cache-control', 'content-type'],
  ...['content-encoding', 'content-language', 'date', 'if-match', 'if-modified-since', 'if-none-match'],
  ...['if-range', 'if-unmodified-since', 'idempotency-key', 'origin', 'pragma', 'prefer', 'range'],
  ...['referer', 'traceparent', 'tracestate', 'user-agent', 'x-request-id', 'x-requested-with'],
])
