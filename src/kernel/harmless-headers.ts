/** Any other header may hold a credential: redirects to another origin drop it, and its value is masked. */
export const harmlessHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'accept-charset', 'accept-encoding', 'accept-language', 'cache-control', 'content-type'],
  ...['content-encoding', 'content-language', 'date', 'if-match', 'if-modified-since', 'if-none-match'],
  ...['if-range', 'if-unmodified-since', 'idempotency-key', 'origin', 'pragma', 'prefer', 'range'],
  ...['referer', 'traceparent', 'tracestate', 'user-agent', 'x-request-id', 'x-requested-with'],
])
