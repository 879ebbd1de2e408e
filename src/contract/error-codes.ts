/** A code is the HTTP status times 100 plus a number; once published it never changes its meaning and is never reused. */
const table = {
  invalid_request: [
    40001,
    'A field is missing, has the wrong type or is out of range; `errors` lists every problem.',
  ],
  malformed_json: [40002, 'The body is not valid JSON in UTF-8.'],
  too_deep: [40003, 'The JSON is nested deeper than the limit.'],
  malformed_upload: [40004, 'The multipart body is malformed, or does not contain exactly one file.'],
  malformed_http: [40005, 'The request violates the HTTP protocol.'],
  token_missing: [40101, 'No token was sent. Send `Authorization: Bearer <token>`.'],
  token_invalid: [40102, 'The token is unknown, revoked or expired.'],
  forbidden: [40301, "The token's role does not allow this operation."],
  not_found: [40401, 'The path does not exist, or the workspace has no such object.'],
  method_not_allowed: [40501, 'The path does not support this method; see the `Allow` header.'],
  request_timeout: [40801, 'The request was received too slowly.'],
  version_conflict: [
    40901,
    'The object was changed by another request, or an Idempotency-Key or `chat_id` was reused with a different request.',
  ],
  in_use: [40902, 'The object is still in use by another object.'],
  already_exists: [40903, 'An object with this name or id already exists.'],
  too_large: [41301, 'The body or the file is larger than the limit.'],
  unsupported_media_type: [41501, 'The operation does not accept a body of this Content-Type.'],
  range_not_satisfiable: [41601, 'The requested range is outside the file.'],
  graph_invalid: [42201, 'The graph is invalid and was not stored; `errors` lists every problem.'],
  workflow_not_runnable: [42202, 'The stored graph is an incomplete draft and cannot run yet.'],
  step_failed: [42203, 'A step of the workflow failed; the message names the step and the reason.'],
  tests_failed: [
    42204,
    'A test set of the workflow has not passed with this version, so it was not published.',
  ],
  rate_limited: [42901, 'Too many requests, or too many runs at a time; see `Retry-After`.'],
  quota_exceeded: [
    42902,
    'A quota of the workspace is used up; `data.quota` names it: storage_bytes, documents or tokens_per_day.',
  ],
  headers_too_large: [43101, 'The request headers are too large.'],
  internal: [50001, 'Internal server error. Look up the trace id in the server log.'],
  content_damaged: [50002, 'The stored content no longer matches its checksum. Restore it from a backup.'],
  model_failed: [50201, 'The model provider failed.'],
  search_failed: [50202, 'The web search service failed.'],
  unavailable: [50301, 'The database or the file store is temporarily unavailable; try again.'],
  not_configured: [50302, 'A required service is not configured; the message names the setting.'],
  timed_out: [50401, 'The operation exceeded its time limit.'],
  storage_full: [50701, 'The disk is full. Nothing was stored.'],
} as const

export type Reason = keyof typeof table

export const errorCodes = Object.fromEntries(
  Object.entries(table).map(([reason, [code, meaning]]) => [reason, { code, meaning }]),
) as Record<Reason, { code: number; meaning: string }>

export const statusOf = (reason: Reason): number => Math.floor(errorCodes[reason].code / 100)
