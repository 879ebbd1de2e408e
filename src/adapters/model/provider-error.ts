import { isRecord } from '../../kernel/is-record.ts'

export interface ProviderError {
  message: string
  /** The provider's own code or type, or empty. */
  code: string
  /** The status that the body states, or that its code stands for. */
  status: number | undefined
}

const maxDepth = 4

/** The text in a message that may be an object or a list of findings, such as those of FastAPI and Mistral. */
function messageIn(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value
  if (depth === maxDepth) return ''
  if (Array.isArray(value))
    return value
      .map(each => messageIn(each, depth + 1))
      .filter(Boolean)
      .join('; ')
  if (!isRecord(value)) return ''
  const place = Array.isArray(value['loc']) ? `${value['loc'].join('.')}: ` : ''
  for (const member of ['message', 'msg', 'detail', 'error']) {
    const text = messageIn(value[member], depth + 1)
    if (text !== '') return place + text
  }
  return ''
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The status that a code stands for, for gateways that report codes in a stream or with status 200. */
const codeStatus: readonly (readonly [pattern: RegExp, status: number])[] = [
  [/api.?key|unauthorized|authentication/i, 401],
  [/rate.?limit|throttl|quota/i, 429],
  [/invalid|bad.?request|unsupported|inspection/i, 400],
]

/** Some gateways put the real status into the body, as a number or by a name. */
function statusOf(value: Record<string, unknown>, code: string): number | undefined {
  for (const each of [value['code'], value['status'], value['status_code']]) {
    const number = Number(each)
    if (Number.isInteger(number) && number >= 400 && number <= 599) return number
  }
  return codeStatus.find(([pattern]) => pattern.test(code))?.[1]
}

function errorIn(value: Record<string, unknown>): ProviderError {
  const code = textOf(value['code']) || textOf(value['type'])
  return { message: messageIn(value), code, status: statusOf(value, code) }
}

/** The error object in the body of a response, in the forms that providers use; Gemini sends a list of one. */
export function providerError(body: unknown): ProviderError | undefined {
  const value: unknown = Array.isArray(body) ? body[0] : body
  if (!isRecord(value)) return undefined
  const { error } = value
  if (isRecord(error)) return errorIn(error)
  if (typeof error === 'string' && error !== '') return { ...errorIn(value), message: error }
  return value['object'] === 'error' ? errorIn(value) : undefined
}

/** An error that is not marked as one: only where the body cannot be a result. */
export function unmarkedError(body: unknown): ProviderError | undefined {
  const found = isRecord(body) ? errorIn(body) : undefined
  return found?.message ? found : undefined
}
