import { isJsonRecord, type JsonRecord, ownValue } from '../../workflow/node-kind.ts'

type Properties = Record<string, unknown>

/**
 * The JSON Schema of a tool's arguments. People write it as a schema, as `{name: description}`, as `{name: schema}`
 * or as a list of `{name, type, description, required}`.
 */
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

/** The same schema, with further texts that must be given. */
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
