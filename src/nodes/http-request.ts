import type { LocalizedText } from '../contract/kind-operations.ts'
import { systemClock } from '../kernel/clock.ts'
import type { HttpAnswer } from '../tools/http-client.ts'
import { isTooDeep } from '../tools/json-depth.ts'
import { type Gap, isJsonRecord, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import { type Step, StepFailure } from '../workflow/step.ts'
import { fillJsonText } from './fill-json-text.ts'
import type { KindDefinition } from './kind-definition.ts'
import type { NodeServices } from './node-services.ts'
import { quote, readNumber, readRecord, readText, textOf } from './read-setting.ts'
import { idempotencyHeader, requestHeaders } from './request-headers.ts'
import { stepFailureOf } from './step-failure-of.ts'

const methods: Readonly<Record<string, LocalizedText>> = {
  GET: { en: 'GET: read', zh: 'GET（读取）' },
  HEAD: { en: 'HEAD: read the headers only', zh: 'HEAD（只读响应头）' },
  POST: { en: 'POST: send', zh: 'POST（提交）' },
  PUT: { en: 'PUT: replace', zh: 'PUT（整体替换）' },
  PATCH: { en: 'PATCH: change', zh: 'PATCH（部分修改）' },
  DELETE: { en: 'DELETE: remove', zh: 'DELETE（删除）' },
  OPTIONS: { en: 'OPTIONS: list the allowed methods', zh: 'OPTIONS（查询可用方法）' },
}
/** These have no effect, so repeating them is harmless. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])
const defaultTimeout = 30_000
const maxTimeout = 20 * 60_000

/** Any status is a result that the workflow may branch on; 429 and 5xx fail only where retries are set. */
export const httpRequest: KindDefinition = {
  kind: 'http_request',
  nodeType: 'tool',
  group: 'tools',
  label: { en: 'HTTP request', zh: 'HTTP 请求' },
  about: {
    en: 'Sends an HTTP request. Any status is a result; 429 and 5xx fail only if retries are set.',
    zh: '发送 HTTP 请求。任何状态码都算结果；只有设置了重试，429 和 5xx 才算失败。',
  },
  fields: {
    method: {
      is: 'text',
      options: methods,
      label: { en: 'Method', zh: '方法' },
      help: { en: 'GET if empty.', zh: '不填时为 GET。' },
    },
    url: {
      is: 'template',
      input: 'address',
      label: { en: 'URL', zh: '网址' },
      help: { en: 'Starts with http:// or https://.', zh: '以 http:// 或 https:// 开头。' },
    },
    headers: {
      is: 'dictionary',
      of: { is: 'template', input: 'line' },
      label: { en: 'Headers', zh: '请求头' },
      help: { en: 'By name.', zh: '按名称填写。' },
    },
    query: {
      is: 'dictionary',
      of: { is: 'tree', input: 'line' },
      label: { en: 'Query parameters', zh: '查询参数' },
      help: {
        en: 'Appended to the URL; a list repeats the parameter for each element.',
        zh: '附加在网址后面；列表会按每一项重复该参数。',
      },
    },
    body: {
      is: 'tree',
      input: 'json',
      label: { en: 'Body', zh: '请求体' },
      help: {
        en: 'Text is sent as it is, anything else as JSON. GET and HEAD have no body.',
        zh: '文字原样发送，其他内容以 JSON 发送。GET 和 HEAD 没有请求体。',
      },
    },
  },
  required: ['url'],
  initialData: { method: 'GET', url: '' },
  gaps: data => [...methodGaps(data), ...bodyGaps(data)],
  outputs: () => ['status', 'headers', 'text', 'result'],
  timeoutMilliseconds: defaultTimeout,
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
  const body = safeMethods.has(method) ? undefined : requestBody(step, data, ownType)
  if (body && ownType === undefined) headers['Content-Type'] = body.contentType
  if (!safeMethods.has(method) && headerOf(headers, 'idempotency-key') === undefined)
    headers['Idempotency-Key'] = idempotencyHeader(step.idempotencyKey)
  // The engine enforces the timeout of the step; the client must only not give up earlier.
  const timeoutMilliseconds = Math.min(
    Math.max(readNumber(data, 'timeout_ms') ?? defaultTimeout, 1),
    maxTimeout,
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
  if (Object.hasOwn(methods, methodOf(data))) return []
  const message = `Must be one of ${Object.keys(methods).join(', ')}, but is ${quote(readText(data, 'method'))}.`
  return [{ place: ['method'], message }]
}

function bodyGaps(data: JsonRecord): Gap[] {
  const body = ownValue(data, 'body')
  if (!safeMethods.has(methodOf(data)) || body === undefined || body === null || body === '') return []
  const message = `A ${methodOf(data)} request has no body; remove it, or choose another method.`
  return [{ place: ['body'], message }]
}

const isWorthRetrying = (status: number): boolean => status === 429 || status >= 500

function failureOf({ status, headers }: HttpAnswer): StepFailure {
  return new StepFailure('step_failed', `The server responded with status ${status}.`, {
    retryable: true,
    retryAfterMilliseconds: retryDelay(headerOf(headers, 'retry-after')?.trim() ?? ''),
  })
}

/** `Retry-After` is a number of seconds or a date. */
function retryDelay(retryAfter: string): number | undefined {
  if (/^\d{1,6}$/.test(retryAfter)) return Number(retryAfter) * 1000
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? undefined : Math.max(0, date - systemClock.now())
}

/** Parsed JSON if the content type says so and it is valid; otherwise the text. */
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

/** The URL with the parameters of `query`; a list repeats its name for each element. */
function requestUrl(step: Step, data: JsonRecord): string {
  const text = step.text(readText(data, 'url')).trim()
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    const message = `"url" must start with http:// or https://, but is ${quote(withoutSecrets(text))}.`
    throw new StepFailure('step_failed', message)
  }
  const filled = step.fill(readRecord(data, 'query')) as JsonRecord
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(filled))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && each !== null) added.append(name, textOf(each))
  // Not through url.searchParams, which would re-encode the author's own part.
  if (added.size > 0) url.search = url.search === '' ? `${added}` : `${url.search}&${added}`
  return url.href
}

/** Keys and passwords are often part of a URL and must not appear in a message. */
const withoutSecrets = (url: string): string => url.replace(/\?.*$/s, '?…').replace(/\/\/[^/]*@/, '//…@')

interface RequestBody {
  text: string
  contentType: string
}

const json = 'application/json'

/**
 * Text is sent as it is, anything else as JSON. `contentType` is what the author set. References in a JSON text are
 * escaped, so that user input cannot break out of its quotes.
 */
function requestBody(step: Step, data: JsonRecord, contentType: string | undefined): RequestBody | undefined {
  const given = ownValue(data, 'body')
  if (typeof given === 'string' && looksLikeJson(given, contentType))
    return { text: fillJsonText(step, given), contentType: contentType ?? json }
  const body = step.fill(given)
  if (body === undefined || body === null || body === '') return undefined
  if (typeof body === 'string') return { text: body, contentType: contentType ?? 'text/plain; charset=utf-8' }
  return { text: JSON.stringify(body), contentType: contentType ?? json }
}

/** Without a content type, a text in brackets is taken for JSON, which is what nearly all services expect. */
function looksLikeJson(template: string, contentType: string | undefined): boolean {
  const text = template.trim()
  if (!/^[[{](?!\{#)/.test(text)) return false
  return contentType === undefined ? /[\]}]$/.test(text) : /[/+]json\b/i.test(contentType)
}
