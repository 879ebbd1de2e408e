/**
 * Every error of the API. A code is the HTTP status times 100 plus a number; once published it never changes its
 * meaning and is never reused. The references in docs/ and /docs are generated from this table.
 */
export const errorCodes = {
  invalid_request: {
    code: 40001,
    meaning: 'A field is missing, has the wrong type or is out of range; `errors` lists every problem.',
  },
  malformed_json: { code: 40002, meaning: 'The body is not valid JSON in UTF-8.' },
  too_deep: { code: 40003, meaning: 'The JSON is nested deeper than the limit.' },
  malformed_upload: {
    code: 40004,
    meaning: 'The multipart body is malformed, or does not contain exactly one file.',
  },
  malformed_http: { code: 40005, meaning: 'The request violates the HTTP protocol.' },
  token_missing: { code: 40101, meaning: 'No token was sent. Send `Authorization: Bearer <token>`.' },
  token_invalid: { code: 40102, meaning: 'The token is unknown, revoked or expired.' },
  forbidden: { code: 40301, meaning: "The token's role does not allow this operation." },
  not_found: { code: 40401, meaning: 'The path does not exist, or the workspace has no such object.' },
  method_not_allowed: {
    code: 40501,
    meaning: 'The path does not support this method; see the `Allow` header.',
  },
  request_timeout: { code: 40801, meaning: 'The request was received too slowly.' },
  version_conflict: {
    code: 40901,
    meaning:
      'The object was changed by another request, or an Idempotency-Key was reused with a different request.',
  },
  in_use: { code: 40902, meaning: 'The object is still in use by another object.' },
  already_exists: { code: 40903, meaning: 'An object with this name or id already exists.' },
  too_large: { code: 41301, meaning: 'The body or the file is larger than the limit.' },
  unsupported_media_type: {
    code: 41501,
    meaning: 'The operation does not accept a body of this Content-Type.',
  },
  range_not_satisfiable: { code: 41601, meaning: 'The requested range is outside the file.' },
  graph_invalid: {
    code: 42201,
    meaning: 'The graph is invalid and was not stored; `errors` lists every problem.',
  },
  workflow_not_runnable: {
    code: 42202,
    meaning: 'The stored graph is an incomplete draft and cannot run yet.',
  },
  step_failed: {
    code: 42203,
    meaning: 'A step of the workflow failed; the message names the step and the reason.',
  },
  rate_limited: { code: 42901, meaning: 'Too many requests; see `Retry-After`.' },
  headers_too_large: { code: 43101, meaning: 'The request headers are too large.' },
  internal: { code: 50001, meaning: 'Internal server error. Look up the trace id in the server log.' },
  content_damaged: {
    code: 50002,
    meaning: 'The stored content no longer matches its checksum. Restore it from a backup.',
  },
  model_failed: { code: 50201, meaning: 'The model provider failed.' },
  search_failed: { code: 50202, meaning: 'The web search service failed.' },
  unavailable: {
    code: 50301,
    meaning: 'The database or the file store is temporarily unavailable; try again.',
  },
  not_configured: {
    code: 50302,
    meaning: 'A required service is not configured; the message names the setting.',
  },
  timed_out: { code: 50401, meaning: 'The operation exceeded its time limit.' },
  storage_full: { code: 50701, meaning: 'The disk is full. Nothing was stored.' },
} as const

export type Reason = keyof typeof errorCodes

export const statusOf = (reason: Reason): number => Math.floor(errorCodes[reason].code / 100)
