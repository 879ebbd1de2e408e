import { ToolFailure } from '../../tools/tool-failure.ts'
import { type JsonRecord, ownValue } from '../../workflow/node-kind.ts'
import type { NodeServices } from '../node-services.ts'
import { parameterSchema, requireTexts } from './parameter-schema.ts'
import { choosesHost, type HttpSource } from './source.ts'
import type { Tool, ToolUse } from './tool.ts'

const timeoutMilliseconds = 30_000
const placeholder = /\{([^{}/?#]+)\}/g

/** Lets the model call one address: it chooses the arguments, and neither the host's name nor the headers. */
export function httpTool(source: HttpSource, services: NodeServices): Tool {
  const inUrl = [...source.url.matchAll(placeholder)].map(match => match[1]!)
  return {
    name: source.name,
    description: source.description || `Calls ${source.method} ${shownAddress(source.url)}`,
    parameters: requireTexts(parameterSchema(source.parameters), inUrl),
    async call(args, use) {
      const answer = await services.http.request({
        ...httpRequest(source, args, use),
        signal: use.signal,
        timeoutMilliseconds,
      })
      const text = answer.text.trim() === '' ? '(no content)' : answer.text
      return answer.status < 400 ? text : `failed: HTTP ${answer.status}\n${text}`
    },
  }
}

/** The address without a password or a query, which often hold a key: no model needs to know it. */
function shownAddress(template: string): string {
  const url = URL.parse(template)
  return url ? `${url.origin}${url.pathname}`.replaceAll('%7B', '{').replaceAll('%7D', '}') : 'an address'
}

function httpRequest(source: HttpSource, args: JsonRecord, use: ToolUse) {
  const { method, headers } = source
  const { url, used } = addressOf(source.url, args)
  const rest = Object.entries(args).filter(([name]) => !used.has(name))
  const key = { 'idempotency-key': use.idempotencyKey }
  if (['GET', 'HEAD', 'DELETE'].includes(method)) {
    for (const [name, value] of rest) if (value !== null) url.searchParams.set(name, textOf(value))
    return { method, url: url.href, headers: method === 'DELETE' ? { ...headers, ...key } : headers }
  }
  return {
    method,
    url: url.href,
    headers: { 'content-type': 'application/json', ...headers, ...key },
    body: JSON.stringify(Object.fromEntries(rest)),
  }
}

/** The address with the arguments in it, and which of them that took. */
function addressOf(template: string, args: JsonRecord): { url: URL; used: Set<string> } {
  if (choosesHost(template)) throw refused('The address has a placeholder in its host; name the host.')
  const used = new Set<string>()
  const filled = template.replace(placeholder, (_, name: string) => {
    used.add(name)
    return pathPart(name, ownValue(args, name))
  })
  const url = URL.parse(filled)
  if (!url) throw refused('The address of this tool is not a whole one, such as https://example.com/items.')
  return { url, used }
}

/** One argument as a piece of the address that cannot leave its place. */
function pathPart(name: string, value: unknown): string {
  const text = value === undefined || value === null ? '' : textOf(value)
  if (text === '') throw refused(`The argument ${JSON.stringify(name)} is missing.`)
  // An address drops these, encoded or not, together with the folder before them.
  if (text === '.' || text === '..')
    throw refused(`The argument ${JSON.stringify(name)} cannot be ${JSON.stringify(text)}.`)
  return encodeURIComponent(text.toWellFormed())
}

const refused = (message: string): ToolFailure => new ToolFailure(message, { retryable: false })

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
