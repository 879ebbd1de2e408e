import { isRecord } from '../kernel/is-record.ts'
import { ToolFailure } from './tool-failure.ts'

/** Where an argument is sent, unless the method decides; `body` means that it is the whole body. */
export type ParameterPlace = 'query' | 'header' | 'body'

export interface HttpToolSettings {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  places: Readonly<Record<string, ParameterPlace>>
  /** A JSON Schema of the arguments; a default in it is sent where there is no argument. */
  parameters: unknown
}

interface HttpToolRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
}

type Arguments = Readonly<Record<string, unknown>>

const placeholder = /\{([^{}/?#]+)\}/g

/** The names of the placeholders in a URL: its arguments are texts, and required. */
export const namesInUrl = (url: string): string[] => [...url.matchAll(placeholder)].map(match => match[1]!)

/** Whether the caller could choose the host, and so where the secrets in the headers are sent. */
export const hasPlaceholderInHost = (url: string): boolean =>
  /^[^/?#]*(?:\/\/[^/?#]*)?(?<!\{)\{(?!\{#)/.test(url)

const hasNoBody = (method: string): boolean => ['GET', 'HEAD', 'DELETE'].includes(method)

/**
 * The request of an HTTP tool. The caller chooses the arguments, but neither the host nor the headers of the author.
 * Arguments that are not in the URL are sent in the query, or in the body where the method has one: as JSON, or as a
 * form where the content type says so.
 */
export function httpToolRequest(
  tool: HttpToolSettings,
  args: Arguments,
  inUrl: readonly string[],
): HttpToolRequest {
  const { method, headers } = tool
  const given = { ...defaultsIn(tool.parameters), ...args }
  const url = fillUrl(tool.url, given)
  const rest = Object.entries(given).filter(([name]) => !inUrl.includes(name))
  const sent = { ...headers }
  const fields: [string, unknown][] = []
  let whole: unknown
  for (const [name, value] of rest) {
    const place = Object.hasOwn(tool.places, name) ? tool.places[name] : undefined
    if (value === undefined || (value === null && (place !== undefined || hasNoBody(method)))) continue
    if (place === 'query') for (const each of [value].flat()) url.searchParams.append(name, textOf(each))
    else if (place === undefined && hasNoBody(method)) url.searchParams.set(name, textOf(value))
    else if (place === 'header') addHeader(sent, name, textOf(value))
    else if (place === 'body') whole = value
    else fields.push([name, value])
  }
  const body = whole ?? (fields.length > 0 || !hasOnlyPlaced(tool) ? Object.fromEntries(fields) : undefined)
  if (hasNoBody(method) || body === undefined) return { method, url: url.href, headers: sent }
  const type = sent['content-type'] ?? 'application/json'
  return { method, url: url.href, headers: { ...sent, 'content-type': type }, body: encoded(body, type) }
}

/** Encodes a body: as a form if the author's header says so, unchanged if it is text and not JSON, otherwise as JSON. */
function encoded(body: unknown, type: string): string {
  if (/^application\/x-www-form-urlencoded\b/i.test(type) && typeof body === 'object' && body !== null) {
    const form = new URLSearchParams()
    for (const [name, value] of Object.entries(body))
      for (const each of [value].flat())
        if (each !== null && each !== undefined) form.append(name, textOf(each))
    return form.toString()
  }
  return typeof body === 'string' && !/json/i.test(type) ? body : JSON.stringify(body)
}

/** Whether the tool describes its parameters one by one: then a call without an argument for the body has no body. */
const hasOnlyPlaced = ({ places }: HttpToolSettings): boolean => Object.keys(places).length > 0

function defaultsIn(parameters: unknown): Record<string, unknown> {
  const properties = isRecord(parameters) ? parameters['properties'] : undefined
  if (!isRecord(properties)) return {}
  const initial = Object.entries(properties).map(([name, schema]) => [
    name,
    isRecord(schema) ? schema['default'] : undefined,
  ])
  return Object.fromEntries(initial.filter(([, value]) => value !== undefined))
}

const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Adds a header unless the author has set it, because that may hold a credential. */
function addHeader(headers: Record<string, string>, name: string, value: string): void {
  const key = name.toLowerCase()
  if (Object.hasOwn(headers, key)) return
  if (!headerName.test(key) || !headerValue.test(value))
    throw refused(`The argument ${JSON.stringify(name)} has a character that a header cannot carry.`)
  headers[key] = value
}

function fillUrl(template: string, args: Arguments): URL {
  if (hasPlaceholderInHost(template))
    throw refused('The host of the URL contains a placeholder; enter the host itself.')
  const filled = template.replace(placeholder, (_, name: string) =>
    pathPart(name, Object.hasOwn(args, name) ? args[name] : undefined),
  )
  const url = URL.parse(filled)
  if (url) return url
  throw refused('The URL of this tool is incomplete; it should look like https://example.com/items.')
}

/** One argument as a segment of the URL that it cannot escape from. */
function pathPart(name: string, value: unknown): string {
  const text = textOf(value)
  if (text === '') throw refused(`The argument ${JSON.stringify(name)} is missing.`)
  // These segments, encoded or not, would remove the segment before them.
  if (text === '.' || text === '..')
    throw refused(`The argument ${JSON.stringify(name)} cannot be ${JSON.stringify(text)}.`)
  return encodeURIComponent(text.toWellFormed())
}

/** A value as the text of a URL or header; anything but a scalar is JSON. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const refused = (message: string): ToolFailure => new ToolFailure(message, { retryable: false })
