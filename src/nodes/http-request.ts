import { systemClock } from '../kernel/clock.ts'
import type { HttpAnswer } from '../tools/http-client.ts'
import { isTooDeep } from '../tools/json-depth.ts'
import { type Gap, isJsonRecord, type JsonRecord, type NodeKind, ownValue } from '../workflow/node-kind.ts'
import { type Step, StepFailure } from '../workflow/step.ts'
import { requestBody } from './http-request-body.ts'
import { requestHeaders, requestUrl } from './http-request-head.ts'
import { idempotencyHeader } from './idempotency-header.ts'
import type { NodeServices } from './node-services.ts'
import { quote, readNumber, readText } from './read-setting.ts'
import { stepFailureOf } from './step-failure-of.ts'

const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** These change nothing, so that nobody minds if they come twice. */
const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])
const usualTimeout = 30_000
const longestTimeout = 20 * 60_000

/**
 * Calls an address. Any status is a result, since the workflow may branch on it; only where the author asks for
 * retries are 429 and 5xx failures, so that there is something to retry.
 */
export const httpRequest: NodeKind<NodeServices> = {
  kind: 'http_request',
  nodeType: 'tool',
  title: 'HTTP request',
  fields: {
    method: { is: 'text', options: methods },
    url: { is: 'template', input: 'address' },
    headers: { is: 'dictionary', of: { is: 'template', input: 'line' } },
    query: { is: 'dictionary', of: { is: 'tree', input: 'line' } },
    body: { is: 'tree', input: 'json' },
  },
  required: ['url'],
  gaps: data => [...methodGaps(data), ...bodyGaps(data)],
  outputs: () => ['status', 'headers', 'text', 'result'],
  timeoutMilliseconds: usualTimeout,
  async run(step, data, services) {
    const method = methodOf(data)
    const answer = await send(step, data, services, method)
    if (isJsonRecord(ownValue(data, 'retry')) && isWorthRetrying(answer.status)) throw failureOf(answer)
    const { status, headers, text } = answer
    return { outputs: { status, headers, text, result: resultOf(answer) } }
  },
}

async function send(
  step: Step,
  data: JsonRecord,
  services: NodeServices,
  method: string,
): Promise<HttpAnswer> {
  const url = requestUrl(step, data)
  const headers = requestHeaders(step, data)
  const ownType = headerOf(headers, 'content-type')
  const body = readingMethods.has(method) ? undefined : requestBody(step, data, ownType)
  if (body && ownType === undefined) headers['Content-Type'] = body.contentType
  if (!readingMethods.has(method) && headerOf(headers, 'idempotency-key') === undefined)
    headers['Idempotency-Key'] = idempotencyHeader(step.idempotencyKey)
  // The engine ends the step when its time is up; the client only must not give up before.
  const timeoutMilliseconds = Math.min(
    Math.max(readNumber(data, 'timeout_ms') ?? usualTimeout, 1),
    longestTimeout,
  )
  try {
    const { signal } = step
    return await services.http.request({
      method,
      url,
      headers,
      body: body?.text,
      signal,
      timeoutMilliseconds,
    })
  } catch (error) {
    throw stepFailureOf(error)
  }
}

const methodOf = (data: JsonRecord): string => readText(data, 'method').trim().toUpperCase() || 'GET'

function methodGaps(data: JsonRecord): Gap[] {
  if (methods.includes(methodOf(data))) return []
  const message = `Must be one of ${methods.join(', ')}, but is ${quote(readText(data, 'method'))}.`
  return [{ place: ['method'], message }]
}

function bodyGaps(data: JsonRecord): Gap[] {
  const body = ownValue(data, 'body')
  if (!readingMethods.has(methodOf(data)) || body === undefined || body === null || body === '') return []
  const message = `A ${methodOf(data)} request has no body; remove it, or choose another method.`
  return [{ place: ['body'], message }]
}

const isWorthRetrying = (status: number): boolean => status === 429 || status >= 500

function failureOf({ status, headers }: HttpAnswer): StepFailure {
  return new StepFailure('step_failed', `The address answered with status ${status}.`, {
    retryable: true,
    retryAfterMilliseconds: waitOf(headerOf(headers, 'retry-after')?.trim() ?? ''),
  })
}

/** How long a `Retry-After` asks to wait: it is a number of seconds or a date. */
function waitOf(retryAfter: string): number | undefined {
  if (/^\d{1,6}$/.test(retryAfter)) return Number(retryAfter) * 1000
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? undefined : Math.max(0, date - systemClock.now())
}

/** JSON where the answer says that it is, and it is; otherwise the text. */
function resultOf({ headers, text }: HttpAnswer): unknown {
  const type = headerOf(headers, 'content-type') ?? ''
  if (!/^[^/;]+\/([^;]+\+)?json\s*(;|$)/i.test(type.trim())) return text
  try {
    const parsed: unknown = JSON.parse(text)
    return isTooDeep(text) ? text : parsed
  } catch {
    return text
  }
}

function headerOf(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
}
