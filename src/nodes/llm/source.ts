import { type Gap, isJsonRecord, type JsonRecord, ownValue } from '../../workflow/node-kind.ts'
import type { Step } from '../../workflow/step.ts'
import { readList, readText } from '../read-setting.ts'

/** The field of the contract that lists what a model may use. */
export const sourcesField = '数据源/API工具'

export interface HttpSource {
  type: 'http'
  name: string
  description: string
  method: string
  url: string
  headers: Record<string, string>
  parameters: unknown
}

export interface WorkflowSource {
  type: 'workflow'
  id: string
  name: string
  description: string
  parameters: unknown
}

export interface ToolServerSource {
  type: 'mcp'
  url: string
  headers: Record<string, string>
  /** The tools that are offered; all of them where undefined. */
  tools: readonly string[] | undefined
}

/** What a model may use, as one entry of the list says. */
export type Source =
  | { type: 'knowledge'; id: string }
  | HttpSource
  | WorkflowSource
  | ToolServerSource
  | { type: 'web_search' }

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

/** The setting that an entry of each type cannot do without. */
const needed: Readonly<Record<string, string | undefined>> = {
  knowledge: 'id',
  http: 'url',
  workflow: 'id',
  mcp: 'url',
  web_search: undefined,
}

const textAt = (record: JsonRecord, key: string): string => readText(record, key).trim()

export const sourceGaps = (data: JsonRecord): Gap[] => readList(data, sourcesField).flatMap(gapsOfEntry)

function gapsOfEntry(entry: unknown, index: number): Gap[] {
  const gap = (message: string, ...keys: string[]): Gap[] => [
    { place: [sourcesField, index, ...keys], message },
  ]
  if (typeof entry === 'string') return entry.trim() === '' ? gap('Name a knowledge base by its id.') : []
  const type = isJsonRecord(entry) ? textAt(entry, 'type') : ''
  if (!isJsonRecord(entry) || !Object.hasOwn(needed, type)) {
    const known = Object.keys(needed).join(', ')
    return gap(`Give the id of a knowledge base, or an object whose type is one of ${known}.`)
  }
  const key = needed[type]
  if (key !== undefined && textAt(entry, key) === '') return gap(`The type "${type}" needs "${key}".`, key)
  if (type !== 'http') return []
  if (!methods.includes(methodOf(entry)))
    return gap(`The method must be one of ${methods.join(', ')}.`, 'method')
  const url = textAt(entry, 'url')
  if (!url.includes('{{#') && !URL.canParse(url.replace(/[{}]/g, '')))
    return gap('Must be a whole address, such as https://example.com/items/{id}.', 'url')
  if (choosesHost(url)) return gap('Name the host: placeholders may stand only behind it.', 'url')
  return []
}

/** Whether a model could choose whom the headers, and what secrets they hold, are sent to. */
export const choosesHost = (url: string): boolean => /^[^/?#]*(?:\/\/[^/?#]*)?\{(?!\{#)/.test(url)

const methodOf = (entry: JsonRecord): string => textAt(entry, 'method').toUpperCase() || 'GET'

/**
 * The entries with their templates filled. Which entries there are, and of which type, is the graph's alone: nothing
 * that is inserted can add one.
 */
export const readSources = (step: Step, data: JsonRecord): Source[] =>
  readList(data, sourcesField).flatMap(entry => readSource(step, entry))

function readSource(step: Step, entry: unknown): Source[] {
  if (typeof entry === 'string') return [{ type: 'knowledge', id: step.text(entry).trim() }]
  if (!isJsonRecord(entry)) return []
  const filled = step.fill(entry) as JsonRecord
  const name = textAt(filled, 'name')
  const description = textAt(filled, 'description')
  const parameters = ownValue(filled, 'parameters')
  const url = textAt(filled, 'url')
  const id = textAt(filled, 'id')
  const headers = headersOf(ownValue(filled, 'headers'))
  switch (textAt(entry, 'type')) {
    case 'knowledge':
      return [{ type: 'knowledge', id }]
    case 'http':
      return [{ type: 'http', name, description, method: methodOf(filled), url, headers, parameters }]
    case 'workflow':
      return [{ type: 'workflow', id, name, description, parameters }]
    case 'mcp':
      return [{ type: 'mcp', url, headers, tools: namesIn(ownValue(filled, 'tools')) }]
    case 'web_search':
      return [{ type: 'web_search' }]
    default:
      return []
  }
}

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
