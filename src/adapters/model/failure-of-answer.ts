import type { IncomingHttpHeaders } from 'node:http'
import { ModelFailure } from '../../models/model-failure.ts'
import type { ModelEndpoint } from './model-endpoint.ts'
import { retryAfterMilliseconds } from './retry-after.ts'

interface ProviderError {
  message: string
  code: string
  /** Where a gateway put the real status into the body. */
  status: number | undefined
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The error object of an answer, in the shapes that providers use. */
export function providerError(answer: unknown): ProviderError | undefined {
  if (!isRecord(answer)) return undefined
  const { error } = answer
  if (typeof error === 'string' && error) return { message: error, code: '', status: undefined }
  if (!isRecord(error)) return undefined
  const number = Number(error['code'] ?? error['status'])
  return {
    message: textOf(error['message']),
    code: textOf(error['code']) || textOf(error['type']),
    status: Number.isInteger(number) && number >= 400 && number <= 599 ? number : undefined,
  }
}

function detailOf(text: string): { message: string; code: string } {
  try {
    const parsed: unknown = JSON.parse(text)
    const { message = '', code = '' } = providerError(parsed) ?? {}
    const plain = isRecord(parsed) ? textOf(parsed['message']) || textOf(parsed['detail']) : ''
    return { message: message || plain, code }
  } catch {
    return { message: '', code: '' }
  }
}

/** A provider may repeat the key, or part of it, in what it says. */
function withoutSecrets(message: string, apiKey: string | undefined): string {
  const known = apiKey ? message.replaceAll(apiKey, '[key]') : message
  const clean = known
    .replace(/\bBearer\s+\S+/gi, '[key]')
    .replace(/\b(sk|pk|rk|gsk|key|jina|hf)[-_][\w*-]{6,}/gi, '[key]')
  return clean.length > 300 ? `${clean.slice(0, 300)}…` : clean
}

const passing = new Set([408, 409, 425, 429])

function advice(endpoint: ModelEndpoint, status: number, code: string): string {
  const { urlSetting, keySetting, advise } = endpoint
  const own = advise?.(status)
  if (own !== undefined) return own
  if (code === 'insufficient_quota' || status === 402) return 'its account has no credit left'
  if (status === 401 || status === 403) return `check ${keySetting}`
  if (status === 404) return `check ${urlSetting} (it often ends in /v1) and the name of the model`
  if (status === 429) return 'it wants fewer requests'
  if (status >= 300 && status < 400)
    return `that is a redirect, which is not followed: set ${urlSetting} to where it leads`
  if (status >= 500 || passing.has(status)) return 'it is in trouble; try again later'
  return 'it refuses the request'
}

/** An answer that tells of a failure, in words for a person. */
export function failureOfAnswer(
  endpoint: ModelEndpoint,
  status: number,
  text: string,
  headers: IncomingHttpHeaders,
  now: number,
): ModelFailure {
  const { message, code } = detailOf(text)
  const aboutKey = status === 401 || status === 403
  const said = aboutKey || !message ? '' : `. It says: ${withoutSecrets(message, endpoint.apiKey)}`
  const spent = code === 'insufficient_quota'
  return new ModelFailure(
    `The ${endpoint.name} endpoint answered ${status}: ${advice(endpoint, status, code)}${said}`,
    {
      status,
      retryable: !spent && (status >= 500 || passing.has(status)),
      retryAfterMilliseconds: retryAfterMilliseconds(headers, now),
    },
  )
}
