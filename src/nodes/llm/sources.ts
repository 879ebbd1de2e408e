import { type HttpToolSettings, hasPlaceholderInHost, type ParameterPlace } from '../../tools/http-tool.ts'
import type { ToolServer } from '../../tools/tool-server.ts'
import {
  type Gap,
  isJsonRecord,
  type JsonRecord,
  type ObjectUse,
  ownValue,
} from '../../workflow/node-kind.ts'
import type { Step } from '../../workflow/step.ts'
import { gapsWithin } from '../gaps.ts'
import { readList, readRecord, readText } from '../read-setting.ts'
import { oauthGaps, oauthIn } from '../tool-server-of.ts'

/** The field of the wire format that lists the knowledge and tools of a model. */
export const sourcesField = '数据源/API工具'

/** The places in the list where references to secrets are allowed: the model sees everything else. */
const secretPlaces = /\/\d+\/(url|headers\/[^/]+|oauth\/client_secret)$/

/** Entries have several forms: the id of a knowledge base, or an object of several types. */
export const sourceList = { is: 'list', of: { is: 'tree', input: 'source', secrets: secretPlaces } } as const

/** One entry of the list. Settings that its type does not use are ignored. */
export interface Source extends HttpToolSettings {
  type: string
  id: string
  name: string
  description: string
  /** The URL without the values of secrets. */
  shownUrl: string
  /** Client credentials for an MCP server. */
  oauth: ToolServer['oauth']
  /** The arguments of the tool, in one of the forms that `parameterSchema` reads. */
  parameters: unknown
  /** The tools of an MCP server to offer; undefined means all of them. */
  tools: readonly string[] | undefined
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

const requiredSettings: Readonly<Record<string, string | undefined>> = {
  knowledge: 'id',
  http: 'url',
  workflow: 'id',
  mcp: 'url',
  /** The id of a shared tool of the workspace. */
  tool: 'id',
  web_search: undefined,
  /** A tool that could not be imported keeps its data. */
  unmapped: undefined,
}

const unmappedTool = 'This tool could not be imported; replace it, or remove it.'

const textAt = (record: JsonRecord, key: string): string => readText(record, key).trim()

/** The knowledge bases of a list of sources, without those that references name. */
export const knowledgeIn = (data: JsonRecord, name: string): ObjectUse[] =>
  readList(data, name).flatMap((entry, index) => {
    const isObject = isJsonRecord(entry) && ownValue(entry, 'type') === 'knowledge'
    const id = isObject ? textAt(entry, 'id') : typeof entry === 'string' ? entry.trim() : ''
    if (id === '' || id.includes('{{#')) return []
    return [{ id, place: isObject ? [name, index, 'id'] : [name, index] }]
  })

export const sourceGaps = (data: JsonRecord, name: string): Gap[] =>
  gapsWithin(
    name,
    readList(data, name).flatMap((entry, index) => gapsWithin(index, gapsOfEntry(entry))),
  )

function gapsOfEntry(entry: unknown): Gap[] {
  const gap = (message: string, ...place: string[]): Gap[] => [{ place, message }]
  if (typeof entry === 'string') return entry.trim() === '' ? gap('Enter the id of a knowledge base.') : []
  const type = isJsonRecord(entry) ? textAt(entry, 'type') : ''
  if (!isJsonRecord(entry) || !Object.hasOwn(requiredSettings, type)) {
    const known = Object.keys(requiredSettings)
      .filter(each => each !== 'unmapped')
      .join(', ')
    return gap(`Give the id of a knowledge base, or an object whose type is one of ${known}.`)
  }
  if (type === 'unmapped') return gap(readText(entry, 'message').trim() || unmappedTool, 'type')
  const key = requiredSettings[type]
  if (key !== undefined && textAt(entry, key) === '') return gap(`The type "${type}" needs "${key}".`, key)
  if (type === 'mcp') return oauthGaps(readRecord(entry, 'oauth'), ['oauth'])
  if (type !== 'http') return []
  if (!methods.includes(methodOf(entry)))
    return gap(`The method must be one of ${methods.join(', ')}.`, 'method')
  const url = textAt(entry, 'url')
  if (!url.includes('{{#') && !URL.canParse(url.replace(/[{}]/g, '')))
    return gap('Must be a full URL, such as https://example.com/items/{id}.', 'url')
  if (hasPlaceholderInHost(url))
    return gap('The host must not contain a placeholder; use placeholders in the path or query only.', 'url')
  return []
}

const methodOf = (entry: JsonRecord): string => textAt(entry, 'method').toUpperCase() || 'GET'

/** The entries with their references replaced. Their number and types come from the graph alone, never from a value. */
export const readSources = (step: Step, list: readonly unknown[]): Source[] =>
  list.flatMap(entry => readSource(step, entry))

export const knowledgeSource = (id: string): Source => sourceOf('knowledge', { id })

function readSource(step: Step, entry: unknown): Source[] {
  if (typeof entry === 'string') return [knowledgeSource(step.text(entry))]
  if (!isJsonRecord(entry)) return []
  // The model sees the other settings.
  const { url, headers, oauth, ...shown } = entry
  const sent = step.withSecrets.fill({ url, headers, oauth }) as JsonRecord
  const settings = { ...(step.fill(shown) as JsonRecord), ...sent, shownUrl: step.fill(url) }
  return [sourceOf(textAt(entry, 'type'), settings)]
}

const sourceOf = (type: string, settings: JsonRecord): Source => ({
  type,
  id: textAt(settings, 'id'),
  name: textAt(settings, 'name'),
  description: textAt(settings, 'description'),
  method: methodOf(settings),
  url: textAt(settings, 'url'),
  shownUrl: textAt(settings, 'shownUrl'),
  headers: headersOf(ownValue(settings, 'headers')),
  oauth: oauthIn(readRecord(settings, 'oauth')),
  parameters: ownValue(settings, 'parameters'),
  places: placesOf(ownValue(settings, 'places')),
  tools: namesIn(ownValue(settings, 'tools')),
})

const placeNames: readonly unknown[] = ['query', 'header', 'body'] satisfies ParameterPlace[]

const placesOf = (value: unknown): Source['places'] =>
  isJsonRecord(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, ParameterPlace] =>
          placeNames.includes(entry[1]),
        ),
      )
    : {}

function headersOf(value: unknown): Record<string, string> {
  if (!isJsonRecord(value)) return {}
  const scalars = Object.entries(value).filter(([, each]) => typeof each !== 'object')
  return Object.fromEntries(scalars.map(([name, each]) => [name.toLowerCase(), String(each)]))
}

function namesIn(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  return value.flatMap(each => {
    const name = isJsonRecord(each) ? ownValue(each, 'name') : each
    return typeof name === 'string' ? [name] : []
  })
}

type Properties = Record<string, unknown>

/** Authors write a schema, `{name: description}`, `{name: schema}` or a list of `{name, type, description, required}`. */
export function parameterSchema(parameters: unknown): JsonRecord {
  if (Array.isArray(parameters)) return schemaOfList(parameters.filter(isJsonRecord))
  if (!isJsonRecord(parameters)) return { type: 'object', properties: {} }
  if (isJsonRecord(ownValue(parameters, 'properties'))) return { ...parameters, type: 'object' }
  if (ownValue(parameters, 'type') === 'object') return { properties: {}, ...parameters }
  const properties = Object.entries(parameters).map(([name, value]) => [name, property(value)])
  return { type: 'object', properties: Object.fromEntries(properties) as Properties }
}

function schemaOfList(list: readonly JsonRecord[]): JsonRecord {
  const named = list.filter(each => typeof ownValue(each, 'name') === 'string')
  const properties = named.map(({ name, required: _, ...schema }) => [name, property(schema)])
  const required = named.filter(each => ownValue(each, 'required') === true).map(each => each['name'])
  return { type: 'object', properties: Object.fromEntries(properties) as Properties, required }
}

function property(value: unknown): JsonRecord {
  if (typeof value === 'string') return { type: 'string', description: value }
  return isJsonRecord(value) ? { type: 'string', ...value } : { type: 'string' }
}

export function requireTexts(schema: JsonRecord, names: readonly string[]): JsonRecord {
  const known = ownValue(schema, 'properties')
  const properties = isJsonRecord(known) ? known : {}
  const added = names.filter(name => !Object.hasOwn(properties, name)).map(name => [name, { type: 'string' }])
  const listed = ownValue(schema, 'required')
  return {
    ...schema,
    properties: { ...properties, ...(Object.fromEntries(added) as Properties) },
    required: [...new Set([...(Array.isArray(listed) ? listed : []), ...names])],
  }
}
