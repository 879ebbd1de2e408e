import { type Reason, statusOf } from '../contract/error-codes.ts'
import type { AppError } from '../kernel/app-error.ts'

/** Codes and types that clients of OpenAI know. Every other error has its own reason as its code. */
const known: Partial<Record<Reason, { code?: string; type?: string }>> = {
  token_missing: { code: 'invalid_api_key', type: 'authentication_error' },
  token_invalid: { code: 'invalid_api_key', type: 'authentication_error' },
  forbidden: { type: 'permission_error' },
  rate_limited: { code: 'rate_limit_exceeded', type: 'rate_limit_error' },
  quota_exceeded: { code: 'insufficient_quota', type: 'insufficient_quota' },
}

/** `/messages/0/content` as clients of OpenAI write it: `messages[0].content`. */
const parameterOf = (pointer: string): string =>
  pointer
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')

/** The innermost field: one that may have several types is reported once for each of them. */
function invalidParameter({ errors }: AppError): string | null {
  const paths = errors.map(({ path }) => path).filter(path => path.startsWith('/'))
  const deepest = paths.toSorted((one, other) => other.split('/').length - one.split('/').length)[0]
  return deepest === undefined ? null : parameterOf(deepest)
}

export function openaiError(error: AppError) {
  const { reason, message } = error
  const fallback = statusOf(reason) >= 500 ? 'server_error' : 'invalid_request_error'
  const { code = reason, type = fallback } = known[reason] ?? {}
  const param = invalidParameter(error)
  const isModel = reason === 'not_found' && param === 'model'
  return { error: { message, type, param, code: isModel ? 'model_not_found' : code } }
}
