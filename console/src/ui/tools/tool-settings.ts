import type { ToolServer } from './server-tools.tsx'

/** A tool in the form of an agent: its name, and its settings. */
export interface ToolDraft {
  name: string
  version?: string | undefined
  running: Readonly<Record<string, unknown>>
}

export const toolTypes = ['tool', 'http', 'mcp', 'workflow', 'knowledge'] as const
export type ToolType = (typeof toolTypes)[number]

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const

export interface HeaderRow {
  name: string
  value: string
}

const oauthNames = ['client_id', 'client_secret', 'issuer', 'scope'] as const
type OauthName = (typeof oauthNames)[number]

/** The settings of a tool as they are typed. `rest` are settings without a field. */
export interface ToolForm {
  name: string
  type: ToolType
  description: string
  url: string
  method: string
  headers: readonly HeaderRow[]
  /** The client credentials for an MCP server; empty texts if there are none. */
  oauth: Readonly<Record<OauthName, string>>
  /** JSON, or empty. */
  parameters: string
  id: string
  /** Chosen tools of an MCP server; all of them if empty. */
  tools: readonly string[]
  rest: Readonly<Record<string, unknown>>
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const jsonOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2))

const headerRowsOf = (headers: unknown): HeaderRow[] =>
  Object.entries(isRecord(headers) ? headers : {}).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }))

const oauthOf = (oauth: unknown): ToolForm['oauth'] => {
  const given = isRecord(oauth) ? oauth : {}
  return Object.fromEntries(oauthNames.map(name => [name, textOf(given[name])])) as ToolForm['oauth']
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function toolFormOf(tool: ToolDraft | undefined): ToolForm {
  const { type, description, url, method, headers, oauth, parameters, id, tools, ...rest } =
    tool?.running ?? {}
  return {
    name: tool?.name ?? '',
    type: toolTypes.find(known => known === type) ?? 'http',
    description: textOf(description),
    url: textOf(url),
    method: textOf(method).toUpperCase() || 'GET',
    headers: headerRowsOf(headers),
    oauth: oauthOf(oauth),
    parameters: jsonOf(parameters),
    id: textOf(id),
    tools: Array.isArray(tools) ? tools.map(String) : [],
    rest,
  }
}

/** The fields of each type. */
export const fieldsOf: Readonly<Record<ToolType, readonly (keyof ToolForm)[]>> = {
  http: ['description', 'method', 'url', 'headers', 'parameters'],
  workflow: ['id', 'description', 'parameters'],
  mcp: ['url', 'headers', 'oauth', 'tools'],
  knowledge: ['id'],
  tool: ['id'],
}

/** A typed JSON object; undefined if invalid. */
export function readSettings(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

export type ToolProblem = 'name' | 'taken' | 'url' | 'id' | 'headers' | 'oauth' | 'parameters'

/** The first field that prevents saving the tool. */
export function toolProblem(form: ToolForm, taken: readonly string[]): ToolProblem | undefined {
  const name = form.name.trim()
  if (name === '') return 'name'
  if (name === 'web_search' || taken.includes(name)) return 'taken'
  const shown = fieldsOf[form.type]
  for (const needed of ['url', 'id'] as const)
    if (shown.includes(needed) && form[needed].trim() === '') return needed
  const { client_id, client_secret, issuer } = credentialsOf(form)
  if (shown.includes('oauth') && usesOauth(form) && !(client_id && client_secret && issuer)) return 'oauth'
  return unreadable(form)
}

/** The credentials that are filled in. */
const credentialsOf = ({ oauth }: Pick<ToolForm, 'oauth'>): Partial<ToolForm['oauth']> =>
  Object.fromEntries(oauthNames.map(name => [name, oauth[name].trim()]).filter(([, text]) => text !== ''))

const usesOauth = (form: Pick<ToolForm, 'oauth'>): boolean => Object.keys(credentialsOf(form)).length > 0

/** The MCP server as it was typed; our server reports missing values. */
export const serverOf = (form: ToolForm): ToolServer => ({
  url: form.url.trim(),
  headers: headersOf(form),
  ...(usesOauth(form) && { oauth: form.oauth }),
})

/** Whether a header has a name that no header before it has. */
export function isHeaderNamed(headers: readonly HeaderRow[], at: number): boolean {
  const names = headers.map(({ name }) => name.trim().toLowerCase())
  return names[at] !== '' && names.indexOf(names[at]!) === at
}

/** A field whose content cannot be converted to JSON without loss. */
export function unreadable({ type, headers, parameters }: ToolForm): 'headers' | 'parameters' | undefined {
  const areNamed = headers.every((_, at) => isHeaderNamed(headers, at))
  if (fieldsOf[type].includes('headers') && !areNamed) return 'headers'
  const areRead = parameters.trim() === '' || readSettings(parameters) !== undefined
  return fieldsOf[type].includes('parameters') && !areRead ? 'parameters' : undefined
}

const headersOf = ({ headers }: Pick<ToolForm, 'headers'>): Record<string, string> =>
  Object.fromEntries(headers.map(({ name, value }) => [name.trim(), value]))

/** With `isLoose` a missing address or id becomes an empty text, to be filled in. */
export function toolOf(form: ToolForm, before: ToolDraft | undefined, isLoose = false): ToolDraft {
  const shown = fieldsOf[form.type]
  const text = (field: 'description' | 'url' | 'id') =>
    shown.includes(field) && (form[field].trim() !== '' || (isLoose && field !== 'description'))
      ? { [field]: form[field].trim() }
      : {}
  const parameters = shown.includes('parameters') ? readSettings(form.parameters) : undefined
  const running = {
    type: form.type,
    ...text('id'),
    ...text('description'),
    ...(form.type === 'http' && { method: form.method }),
    ...text('url'),
    ...(shown.includes('headers') && form.headers.length > 0 && { headers: headersOf(form) }),
    ...(shown.includes('oauth') && usesOauth(form) && { oauth: credentialsOf(form) }),
    ...(parameters && { parameters }),
    ...(form.type === 'mcp' && form.tools.length > 0 && { tools: [...form.tools] }),
    ...form.rest,
  }
  return {
    name: form.name.trim(),
    ...(before?.version !== undefined && { version: before.version }),
    running,
  }
}
