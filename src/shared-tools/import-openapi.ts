import { limits } from '../contract/limits.ts'
import { invalidField } from '../kernel/app-error.ts'
import type { Pausable } from '../kernel/slices.ts'
import { hasPlaceholderInHost } from '../tools/http-tool.ts'
import { isJsonRecord, type JsonRecord, ownValue } from '../workflow/json-record.ts'
import {
  formType,
  type ImportedTool,
  type ImportedTools,
  methods,
  type NeededSecret,
  plainText,
  toolName,
} from './imported-tool.ts'
import { addAuthentication } from './openapi-authentication.ts'
import { OpenapiSchemas, record, textIn } from './openapi-schemas.ts'

export function* importOpenapi(value: unknown): Pausable<ImportedTools> {
  const document = record(value)
  const version = String(document['openapi'] ?? document['swagger'] ?? '')
  if (!/^[23](\.|$)/.test(version))
    throw invalidField(
      '/content',
      'must be a curl command, or an OpenAPI 3 or Swagger 2 document as JSON or YAML, with its version in "openapi" or "swagger"',
    )
  const notes: string[] = []
  const secrets = new Map<string, NeededSecret>()
  const tools: ImportedTool[] = []
  const taken = new Set<string>()
  for (const [path, item] of Object.entries(record(document['paths']))) {
    yield
    for (const method of methods) {
      const about: string[] = []
      const schemas = new OpenapiSchemas(document, message => {
        if (!about.includes(message) && about.length < 10) about.push(message)
      })
      const pathItem = schemas.find(item)
      const operation = ownValue(pathItem, method.toLowerCase())
      if (!isJsonRecord(operation)) continue
      if (tools.length === limits.importedTools) {
        notes.push(`Only the first ${limits.importedTools} operations were read.`)
        return { tools, secrets: [...secrets.values()], notes }
      }
      const named = textIn(operation['operationId']) || `${method.toLowerCase()}_${path}`
      const tool = new OperationReader({ document, schemas, method, notes: about }).read(operation, pathItem)
      addAuthentication(document, operation, { schemas, tool, secrets })
      const { url: query } = tool
      const base = baseOf(document, [operation, pathItem, document].flatMap(firstServer)[0] ?? {}, notes)
      tools.push({
        ...tool,
        name: freeName(toolName(named), taken),
        url: `${base}${plainText(path)}${query}`,
      })
      yield
    }
  }
  if (tools.length === 0) throw invalidField('/content', 'has no operations in "paths"')
  return { tools, secrets: [...secrets.values()], notes }
}

function freeName(name: string, taken: Set<string>): string {
  let free = name
  for (let number = 2; taken.has(free); number++) free = `${name.slice(0, 60)}_${number}`
  taken.add(free)
  return free
}

const firstServer = ({ servers }: JsonRecord): JsonRecord[] =>
  Array.isArray(servers) && servers.length > 0 ? [record(servers[0])] : []

/** The address that the paths are appended to. A tool needs an absolute URL. */
function baseOf(document: JsonRecord, server: JsonRecord, notes: string[]): string {
  const variables = record(server['variables'])
  const written = textIn(server['url']).replace(/\{([^{}]+)\}/g, (_, name: string) =>
    String(record(ownValue(variables, name))['default'] ?? ''),
  )
  const schemes = Array.isArray(document['schemes']) ? document['schemes'] : []
  const scheme = schemes.length === 0 || schemes.includes('https') ? 'https' : 'http'
  const host = textIn(document['host'])
  const url = (host === '' ? written : `${scheme}://${host}${textIn(document['basePath'])}`).replace(
    /\/+$/,
    '',
  )
  if (/^https?:\/\/[^/]/i.test(url) && !hasPlaceholderInHost(url)) return url
  const note =
    'The document names no host: replace https://example.com in the URLs by the address of the API.'
  if (!notes.includes(note)) notes.push(note)
  return `https://example.com${url.startsWith('/') ? url : ''}`
}

interface OperationContext {
  document: JsonRecord
  schemas: OpenapiSchemas
  method: string
  notes: string[]
}

/** Headers that the document describes elsewhere. */
const otherHeaders = ['accept', 'content-type', 'authorization']

class OperationReader {
  readonly #context: OperationContext
  readonly #properties: Record<string, unknown> = {}
  readonly #required: string[] = []
  readonly #places: ImportedTool['places'] = {}
  readonly #headers: Record<string, string> = {}

  constructor(context: OperationContext) {
    this.#context = context
  }

  /** The tool without its name and address. */
  read(operation: JsonRecord, pathItem: JsonRecord): ImportedTool {
    const { method, notes } = this.#context
    const parameters = this.#parameters(pathItem, operation)
    for (const parameter of parameters) this.#readParameter(parameter)
    this.#readBody(operation, parameters)
    const about = [textIn(operation['summary']), textIn(operation['description'])].filter(Boolean)
    const required = [...new Set(this.#required)]
    return {
      ...{ name: '', url: '', method, headers: this.#headers, places: this.#places, notes },
      description: [...new Set(about)].join('\n').slice(0, 2000),
      parameters: {
        ...{ type: 'object', properties: this.#properties },
        ...(required.length > 0 && { required }),
      },
    }
  }

  /** The parameters; those of the operation replace those of the path with the same name and place. */
  #parameters(pathItem: JsonRecord, operation: JsonRecord): JsonRecord[] {
    const listed = [pathItem, operation].flatMap(each => {
      const list = each['parameters']
      return Array.isArray(list) ? list.map(parameter => this.#context.schemas.find(parameter)) : []
    })
    return [...new Map(listed.map(each => [`${each['in']} ${each['name']}`, each])).values()]
  }

  #readParameter(parameter: JsonRecord): void {
    const { schemas, notes } = this.#context
    const [name, where] = [textIn(parameter['name']), textIn(parameter['in'])]
    if (name === '' || where === 'body' || where === 'formData') return
    if (where === 'header' && otherHeaders.includes(name.toLowerCase())) return
    if (!['path', 'query', 'header'].includes(where)) {
      notes.push(
        `The parameter "${name}" is a ${where || 'parameter of an unknown place'}, which tools cannot send.`,
      )
      return
    }
    const content = Object.values(record(parameter['content']))[0]
    const { name: _, in: __, required: ___, ...own } = parameter
    const schema = schemas.schema(parameter['schema'] ?? record(content)['schema'] ?? own)
    const description = textIn(parameter['description']).slice(0, 1000)
    this.#properties[name] = { ...schema, ...(description && { description }) }
    if (where === 'query' || where === 'header') this.#places[name] = where
    if (parameter['required'] === true || where === 'path') this.#required.push(name)
  }

  #readBody(operation: JsonRecord, parameters: readonly JsonRecord[]): void {
    const { schemas, document, method, notes } = this.#context
    const old = parameters.filter(each => each['in'] === 'body' || each['in'] === 'formData')
    const body = old.length > 0 ? oldBody(operation, document, old) : schemas.find(operation['requestBody'])
    const content = record(body['content'])
    const types = Object.keys(content)
    if (types.length === 0) return
    if (['GET', 'HEAD', 'DELETE'].includes(method)) {
      notes.push(`The body was left out: tools send none with ${method}.`)
      return
    }
    const type =
      types.find(each => isJson(each) || each.startsWith('*/*')) ??
      types.find(each => each.toLowerCase().startsWith(formType))
    if (type === undefined) {
      notes.push(`Its body is ${types[0]!.slice(0, 60)}, which tools cannot send; it was left out.`)
      return
    }
    const isForm = type.toLowerCase().startsWith(formType)
    if (isForm) this.#headers['content-type'] = formType
    else if (otherJson.test(type)) this.#headers['content-type'] = plainText(type)
    const schema = schemas.schema(record(content[type])['schema'])
    const members = record(schema['properties'])
    const isFree = Object.keys(members).every(name => !Object.hasOwn(this.#properties, name))
    if (Object.keys(members).length > 0 && (isFree || isForm)) {
      Object.assign(this.#properties, members)
      if (Array.isArray(schema['required'])) this.#required.push(...schema['required'].map(String))
      return
    }
    this.#properties['body'] = schema
    this.#places['body'] = 'body'
    if (body['required'] === true) this.#required.push('body')
  }
}

const isJson = (type: string): boolean => /[/+]json\b/i.test(type)
/** Matches a media type other than `application/json`, which tools send by default, and no pattern of types. */
const otherJson = /^(?!application\/json *(;|$))[\w.-]+\/[\w.+-]+ *(;[\x20-\x7e]*)?$/i

/** The body of Swagger 2 in the form of OpenAPI 3. */
function oldBody(operation: JsonRecord, document: JsonRecord, parameters: readonly JsonRecord[]): JsonRecord {
  const listed = operation['consumes'] ?? document['consumes']
  const consumes = Array.isArray(listed) ? listed.map(String) : []
  const body = parameters.find(each => each['in'] === 'body')
  const json = consumes.find(isJson) ?? 'application/json'
  if (body) return { required: body['required'], content: { [json]: { schema: body['schema'] } } }
  const fields = parameters.map(({ name, in: _, required: __, ...schema }) => [String(name), schema])
  const required = parameters.filter(each => each['required'] === true).map(each => each['name'])
  const hasFile = parameters.some(each => each['type'] === 'file')
  const type =
    hasFile || (consumes.length > 0 && !consumes.includes(formType)) ? 'multipart/form-data' : formType
  return {
    content: { [type]: { schema: { type: 'object', properties: Object.fromEntries(fields), required } } },
  }
}
