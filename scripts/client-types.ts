/** Generates the types and the table of operations of clients/typescript from the OpenAPI document. */
import { type JsonSchema, openapiDocument } from '../src/http/openapi.ts'

type Document = ReturnType<typeof openapiDocument>
type Described = Document['paths'][string][string]
type Schema = JsonSchema & { additionalProperties?: unknown; patternProperties?: Record<string, JsonSchema> }

const isName = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name)
const member = (name: string): string => (isName(name) ? name : JSON.stringify(name))
const comment = (text: string | undefined, indent: string): string =>
  text ? `${indent}/** ${text.replaceAll('*/', '* /').replaceAll(/\s*\n\s*/g, ' ')} */\n` : ''

function objectType(schema: Schema, indent: string): string {
  const { properties = {}, required = [], additionalProperties, patternProperties } = schema
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(
    ([name, field]) =>
      `${comment(field.description, inner)}${inner}${member(name)}${required.includes(name) ? '' : '?'}: ${typeOf(field, inner)}\n`,
  )
  const isOpen = additionalProperties === true || fields.length === 0
  const others =
    typeof additionalProperties === 'object' && additionalProperties !== null
      ? typeOf(additionalProperties as Schema, inner)
      : patternProperties
        ? typeOf(Object.values(patternProperties)[0]!, inner)
        : isOpen
          ? 'unknown'
          : undefined
  if (others !== undefined) fields.push(`${inner}[name: string]: ${others}\n`)
  return `{\n${fields.join('')}${indent}}`
}

/** The TypeScript type of a schema. */
function typeOf(schema: Schema, indent = ''): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1)!
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(each => typeOf(each, indent)))].join(' | ')
  if (schema.type === 'array') return `Array<${typeOf(schema.items ?? {}, indent)}>`
  if (schema.type === 'object') return objectType(schema, indent)
  if (schema.type === 'integer') return 'number'
  return schema.type ?? 'unknown'
}

/** Names and types of the events of a stream. The name is in the event itself, or the end of the name of its schema. */
function eventType(schema: Schema, { schemas }: Document['components']): string {
  const named = schema.$ref && (schemas[schema.$ref.split('/').at(-1)!] as Schema)
  const kinds = (named || schema).anyOf ?? []
  const types = kinds.map(kind => {
    const name = kind.$ref!.split('/').at(-1)!
    const inside = schemas[name]?.properties?.['event']?.const
    const event = inside ?? name.replace(/^[A-Z][a-z]+/, '').toLowerCase()
    return `{ event: ${JSON.stringify(event)}; data: ${name} }`
  })
  return types.length > 0 ? types.join(' | ') : `{ event: string; data: ${typeOf(schema)} }`
}

const jsonOf = (content: Record<string, { schema?: JsonSchema }> | undefined): Schema | undefined =>
  content?.['application/json']?.schema

/** What a call returns: `data` of the envelope, a flat response without its code, or the response itself. */
function dataType(schema: Schema | undefined): string | undefined {
  if (!schema) return undefined
  const { properties = {}, required = [] } = schema
  if (properties['data'] && properties['code']) return typeOf(properties['data'], '    ')
  if (!properties['msg']) return typeOf(schema, '    ')
  const { code: _, msg: __, ...rest } = properties
  return typeOf({ type: 'object', properties: rest, required } as Schema, '    ')
}

function inputType({ parameters, requestBody }: Described): string {
  const given = parameters.filter(({ in: place }) => place !== 'header')
  const body = jsonOf(requestBody?.content as Record<string, { schema?: JsonSchema }> | undefined)
  const properties = Object.fromEntries(given.map(({ name, schema }) => [name, schema]))
  const needed = given.filter(({ required }) => required).map(({ name }) => name)
  return typeOf(
    {
      ...body,
      type: 'object',
      properties: { ...properties, ...body?.properties },
      required: [...needed, ...(body?.required ?? [])],
      additionalProperties: false,
    } as Schema,
    '    ',
  ).replace('{\n    }', '{}')
}

/** Operations of programs; pages and protocols with clients of their own are left out. */
const isCovered = ({ operationId, responses }: Described): boolean => {
  const types = Object.keys(responses['200']?.content ?? {})
  return (
    !operationId.startsWith('mcp.') &&
    types.some(type => type === 'application/json' || type === 'text/event-stream')
  )
}

const isUpload = ({ requestBody }: Described): boolean =>
  requestBody !== undefined && Object.hasOwn(requestBody.content, 'multipart/form-data')

export function clientTypes(): string {
  const document = openapiDocument()
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `${comment(schema.description, '')}export type ${name} = ${typeOf(schema as Schema)}\n`,
  )
  const types: string[] = []
  const table: string[] = []
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, described] of Object.entries(methods)) {
      if (!isCovered(described) || isUpload(described)) continue
      const { operationId, summary, parameters, responses } = described
      const content = responses['200']!.content as Record<string, { schema?: JsonSchema }>
      const events = content['text/event-stream']?.schema
      const accepted = responses['202']?.content as typeof content | undefined
      const data = [dataType(jsonOf(content)), dataType(jsonOf(accepted))].filter(Boolean).join(' | ')
      types.push(
        `${comment(summary, '  ')}  ${JSON.stringify(operationId)}: {\n    input: ${inputType(described)}\n${data ? `    data: ${data}\n` : ''}${events ? `    event: ${eventType(events as Schema, document.components)}\n` : ''}  }\n`,
      )
      const query = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name)
      table.push(
        `  ${JSON.stringify(operationId)}: ${JSON.stringify([method.toUpperCase(), path, query])},\n`,
      )
    }
  return [
    '// Generated from the OpenAPI document of the server by `npm run docs`.\n',
    ...schemas,
    `/** Every operation with its input, what it returns, and the events of its stream. */\nexport interface Operations {\n${types.join('')}}\n`,
    `/** Method, path and the names of query parameters. */\nexport const operations: Record<keyof Operations, readonly [method: string, path: string, query: readonly string[]]> = {\n${table.join('')}}\n`,
  ].join('\n')
}
