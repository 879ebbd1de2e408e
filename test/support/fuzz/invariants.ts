import type { Interface } from './interface.ts'
import type { FuzzRequest } from './plan-request.ts'
import type { FuzzAnswer } from './send.ts'
import { type Caller, mayUse } from './world.ts'

const leaks: readonly RegExp[] = [
  /\n\s+at /,
  /node:internal|node_modules|file:\/\//,
  /\.[jt]s:\d+/,
  /SQLITE_|sqlite3|pg_catalog|syntax error at|violates .* constraint|invalid byte sequence/i,
  /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM) \w+/,
  /\b(TypeError|RangeError|ReferenceError|Cannot read propert)/,
  /banyan\.db|\/files\/(tmp|blobs)/,
]

interface Envelope {
  code?: unknown
  message?: unknown
  msg?: unknown
  data?: unknown
  reason?: unknown
  errors?: unknown
  error?: unknown
  jsonrpc?: unknown
}

/** Returns what is wrong with an error in the shape of OpenAI. */
function openaiProblems(error: unknown): string[] {
  const { message, type, param, code } = (error ?? {}) as Record<string, unknown>
  const areTexts = [message, type, code].every(value => typeof value === 'string')
  const isWell = areTexts && (param === null || typeof param === 'string')
  return isWell ? [] : [`not an error of OpenAI: ${JSON.stringify(error)}`]
}

/** Returns what is wrong with an error in the shape of JSON-RPC. */
function rpcProblems({ jsonrpc, error }: Envelope): string[] {
  const { code, message } = (error ?? {}) as Record<string, unknown>
  const isWell = jsonrpc === '2.0' && typeof code === 'number' && typeof message === 'string'
  return isWell ? [] : [`not an error of JSON-RPC: ${JSON.stringify(error)}`]
}

/** A page for people, who open it in a browser: it has no error to parse. */
export const isPage = (status: number, headers: FuzzAnswer['headers']): boolean =>
  status === 404 && /^text\/html/.test(headers['content-type'] ?? '')

const isFlat = (path: string): boolean => path.startsWith('/api/v1/conversation/')

/** Returns what is wrong with the envelope of a failure. */
export function failureProblems(envelope: Envelope, status: number, path: string, api: Interface): string[] {
  if (path.startsWith('/v1/')) return openaiProblems(envelope.error)
  if (/^\/mcp(\?|$)/.test(path)) return rpcProblems(envelope)
  const problems: string[] = []
  const flat = isFlat(path)
  const details = (flat ? envelope : (envelope.data ?? {})) as Envelope
  const { code } = envelope
  if (typeof code !== 'number' || !api.codes.has(code)) problems.push(`the code ${code} is not published`)
  else if (Math.floor(code / 100) !== status) problems.push(`the code ${code} does not fit status ${status}`)
  if (typeof (flat ? envelope.msg : envelope.message) !== 'string') problems.push('no message')
  if (!api.reasons.has(String(details.reason))) problems.push(`the reason ${details.reason} is not published`)
  const { errors } = details
  const well =
    Array.isArray(errors) &&
    errors.every(error => typeof error?.path === 'string' && typeof error?.message === 'string')
  if (!well) problems.push('`errors` is not a list of path and message')
  return problems
}

function checkGate(request: FuzzRequest, caller: Caller, status: number): string[] {
  const { access } = request.operation
  if (access === 'anyone') return []
  // Whether a token is needed depends on the agent; a token that is sent must be valid.
  if (access === 'public' && caller.authorization === undefined) return []
  if (caller.role === undefined) {
    if (request.reachesOperation && status !== 401) return [`without a good token it answered ${status}`]
    return status < 300 ? [`without a good token it answered ${status}`] : []
  }
  if (request.reachesOperation && !mayUse(caller, access) && status !== 403)
    return [`the role ${caller.role} got ${status} from an operation with ${access} access`]
  return []
}

const sentTraceId = (request: FuzzRequest): string | undefined => {
  const sent = request.headers['X-TraceId']
  return sent !== undefined && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : undefined
}

/** Everything that must hold for any response; an empty list means that it does. */
export function violations(
  request: FuzzRequest,
  caller: Caller,
  answer: FuzzAnswer,
  api: Interface,
  secrets: readonly string[],
): string[] {
  const { status, headers, bytes } = answer
  const problems = checkGate(request, caller, status)
  const traceId = headers['x-traceid']
  if (typeof traceId !== 'string' || traceId === '') problems.push('no X-TraceId')
  const sent = sentTraceId(request)
  // Headers that are too large are not parsed.
  if (sent !== undefined && traceId !== sent && status !== 431)
    problems.push('the X-TraceId is not the one that was sent')
  for (const name of ['polluted', 'x-injected']) if (headers[name]) problems.push(`a header ${name}`)
  // An agent whose model does not exist, which an earlier request may have set, answers that it is not configured.
  const isFault = status >= 500 && !/"(reason|code)":"not_configured"/.test(bytes.toString('utf8'))
  if (isFault) problems.push(`status ${status}: ${bytes.toString('utf8').slice(0, 300)}`)
  if (request.method === 'HEAD' || status === 304) return problems

  const text = bytes.toString('utf8')
  if (isPage(status, headers)) return problems
  if (status >= 400) {
    let envelope: Envelope
    try {
      envelope = JSON.parse(text) as Envelope
    } catch {
      return [...problems, `a failure that is not JSON: ${text.slice(0, 200)}`]
    }
    problems.push(...failureProblems(envelope, status, request.path, api))
    const leak = leaks.find(pattern => pattern.test(text)) ?? secrets.find(secret => text.includes(secret))
    if (leak) problems.push(`it reveals too much (${leak}): ${text.slice(0, 300)}`)
    return problems
  }
  // Event streams are not JSON documents; they have their own tests.
  const isStream = /^text\/event-stream/.test(headers['content-type'] ?? '')
  const check = request.reachesOperation && !isStream ? request.operation.checkSuccess : undefined
  if (!check) return problems
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return [...problems, `a success that is not JSON: ${text.slice(0, 200)}`]
  }
  if (!check(value))
    problems.push(`a success unlike its schema: ${JSON.stringify(check.errors).slice(0, 400)}`)
  return problems
}
