import type { LocalizedText } from '../contract/kind-operations.ts'
import { systemClock } from '../kernel/clock.ts'
import { retryAfterMilliseconds } from '../kernel/retry-after.ts'
import type { HttpAnswer, HttpRequest } from '../tools/http-client.ts'
import { httpToolRequest, namesInUrl } from '../tools/http-tool.ts'
import { parseLongJson } from '../tools/json-limits.ts'
import type { JsonRecord } from '../workflow/node-kind.ts'
import { type Step, StepFailure, stepFailed } from '../workflow/step.ts'
import { bodyFields, bodyGaps, requestBody } from './http-request/request-body.ts'
import { choice, defineKind, field, secretLine, unless } from './kind-definition.ts'
import { argumentsOf, sharedToolIn, sharedToolOf, toolIdField, toolIdIn } from './llm/shared-tools.ts'
import type { NodeServices } from './node-services.ts'
import { quote, readNumber, readRecord, readText, textOf } from './read-setting.ts'
import { idempotencyHeader, requestHeaders } from './request-headers.ts'
import { storeBody } from './stored-files.ts'

const methods: Readonly<Record<string, LocalizedText>> = {
  GET: { en: 'GET: read', zh: 'GET（读取）' },
  HEAD: { en: 'HEAD: read the headers only', zh: 'HEAD（只读响应头）' },
  POST: { en: 'POST: send', zh: 'POST（提交）' },
  PUT: { en: 'PUT: replace', zh: 'PUT（整体替换）' },
  PATCH: { en: 'PATCH: change', zh: 'PATCH（部分修改）' },
  DELETE: { en: 'DELETE: remove', zh: 'DELETE（删除）' },
  OPTIONS: { en: 'OPTIONS: list the allowed methods', zh: 'OPTIONS（查询可用方法）' },
}
const methodNamed = (text: string): string => text.trim().toUpperCase() || 'GET'
/** These have no effect, so repeating them is harmless. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])
const defaultTimeout = 30_000
const maxTimeout = 20 * 60_000

/** Any status is a result that the workflow may branch on; 429 and 5xx fail only where retries are set. */
export const httpRequest = defineKind({
  kind: 'http_request',
  nodeType: 'tool',
  group: 'tools',
  en: [
    'HTTP request',
    'Sends an HTTP request. Any status is a result; 429 and 5xx fail only if retries are set.',
  ],
  zh: ['HTTP 请求', '发送 HTTP 请求。任何状态码都算结果；只有设置了重试，429 和 5xx 才算失败。'],
  fields: {
    tool_id: toolIdField,
    arguments: {
      ...field(
        { is: 'tree', input: 'mcp_arguments', secrets: true },
        ['Arguments', 'Arguments of the shared tool: an object, or a reference to one.'],
        ['参数', '共享工具的参数：一个对象，或给出对象的引用。'],
      ),
      with: 'tool_id',
    },
    ...unless('tool_id', {
      method: field(choice(methods, methodNamed), ['Method', 'GET if empty.'], ['方法', '不填时为 GET。']),
      url: field(
        { is: 'template', input: 'address', secrets: true },
        ['URL', 'Starts with http:// or https://.'],
        ['网址', '以 http:// 或 https:// 开头。'],
      ),
      headers: field(
        { is: 'dictionary', of: secretLine },
        ['Headers', 'By name. Write keys as {{#secret.name#}}.'],
        ['请求头', '按名称填写。密钥请写成 {{#secret.名称#}}。'],
      ),
      query: field(
        { is: 'dictionary', of: { is: 'tree', input: 'line', secrets: true } },
        ['Query parameters', 'Appended to the URL; a list repeats the parameter for each element.'],
        ['查询参数', '附加在网址后面；列表会按每一项重复该参数。'],
      ),
      ...bodyFields,
    }),
  },
  required: ['url'],
  initialData: { method: 'GET', url: '' },
  gaps: data =>
    toolIdIn(data) === '' ? bodyGaps(data, safeMethods.has(methodOf(data)) ? methodOf(data) : undefined) : [],
  sharedTools: sharedToolIn('http'),
  outputs: () => ['status', 'headers', 'text', 'result', 'files'],
  timeoutMilliseconds: defaultTimeout,
  async run(step, data, services) {
    const request = await requestOf(step, data, services)
    const answer = await services.http.request(request)
    const retries = readNumber(readRecord(data, 'retry'), 'times') ?? 0
    if (retries > 0 && isWorthRetrying(answer.status)) throw failureOf(answer)
    const { status, headers, text } = answer
    const files = await storeBody(step, services, request.url, answer)
    return { outputs: { status, headers, text, result: await resultOf(answer, step), files } }
  },
})

async function requestOf(step: Step, data: JsonRecord, services: NodeServices): Promise<HttpRequest> {
  const tool = await sharedToolOf(step, services, data, 'http')
  const { method, url, headers, body } = tool
    ? httpToolRequest(tool, argumentsOf(step, data), namesInUrl(tool.shownUrl))
    : await ownRequest(step, data, services)
  if (!safeMethods.has(method) && headerOf(headers, 'idempotency-key') === undefined)
    headers['Idempotency-Key'] = idempotencyHeader(step.idempotencyKey)
  // The engine enforces the timeout of the step; the client must only not give up earlier.
  const timeout = readNumber(data, 'timeout_ms') ?? defaultTimeout
  const timeoutMilliseconds = Math.min(Math.max(timeout, 1), maxTimeout)
  const { signal } = step
  return { method, url, headers, body, signal, timeoutMilliseconds }
}

async function ownRequest(step: Step, data: JsonRecord, services: NodeServices) {
  const method = methodOf(data)
  const url = requestUrl(step, data)
  const headers = requestHeaders(step, data)
  const ownType = headerOf(headers, 'content-type')
  const body = safeMethods.has(method) ? undefined : await requestBody(step, data, services, ownType)
  if (body?.hasOwnType) removeHeader(headers, 'content-type')
  if (body && (ownType === undefined || body.hasOwnType)) headers['Content-Type'] = body.type
  return { method, url, headers, body: body?.content }
}

const methodOf = (data: JsonRecord): string => methodNamed(readText(data, 'method'))

const isWorthRetrying = (status: number): boolean => status === 429 || status >= 500

function failureOf({ status, headers }: HttpAnswer): StepFailure {
  return new StepFailure('step_failed', `The server responded with status ${status}.`, {
    retryable: true,
    retryAfterMilliseconds: retryAfterMilliseconds(headers, systemClock.now()),
  })
}

/** Parsed JSON if the content type says so and it is valid; otherwise the text. */
async function resultOf({ headers, text }: HttpAnswer, step: Step): Promise<unknown> {
  const type = headers['content-type'] ?? ''
  const isJson = /^[^/;]+\/([^;]+\+)?json\s*(;|$)/i.test(type.trim())
  const parsed = isJson ? await parseLongJson(text, step, { keepsDigits: true }) : undefined
  return parsed === undefined ? text : parsed
}

function headerOf(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
}

function removeHeader(headers: Record<string, string>, name: string): void {
  for (const each of Object.keys(headers)) if (each.toLowerCase() === name) delete headers[each]
}

/** The URL with the parameters of `query`; a list repeats its name for each element. */
function requestUrl(step: Step, data: JsonRecord): string {
  const template = readText(data, 'url')
  const text = step.withSecrets.text(template).trim()
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw stepFailed(
      `"url" must start with http:// or https://, but is ${quote(withoutSecrets(step.text(template)))}.`,
    )
  const added = new URLSearchParams()
  for (const [name, given] of Object.entries(readRecord(data, 'query')))
    for (const each of [step.withSecrets.fill(given)].flat())
      if (each !== undefined && each !== null) added.append(name, textOf(each))
  // Not added through url.searchParams, which would re-encode the part that the author wrote.
  if (added.size > 0) url.search = url.search === '' ? `${added}` : `${url.search}&${added}`
  return url.href
}

/** Keys and passwords are often part of a URL and must not appear in a message. */
const withoutSecrets = (url: string): string => url.replace(/\?.*$/s, '?…').replace(/\/\/[^/]*@/, '//…@')
