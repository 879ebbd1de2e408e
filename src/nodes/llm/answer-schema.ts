import { isJsonRecord, type JsonRecord, ownValue } from '../../workflow/node-kind.ts'

/** The JSON Schema of the answer, if it is set. Authors also paste the wrapped form of a provider. */
export function answerSchema(data: JsonRecord): JsonRecord | undefined {
  const given = ownValue(data, 'json_schema')
  if (!isJsonRecord(given) || Object.keys(given).length === 0) return undefined
  const inner = ownValue(given, 'schema')
  const wrapped = isJsonRecord(inner) && !Object.hasOwn(given, 'type') && !Object.hasOwn(given, 'properties')
  const schema = wrapped ? inner : given
  return Object.hasOwn(schema, 'type') ? schema : { type: 'object', ...schema }
}

const maxProblems = 10

/**
 * Where a value violates a JSON Schema, as messages for the model. It knows the structural keywords (type, enum, const,
 * properties, required, additionalProperties, items, anyOf, oneOf, allOf) and leaves the others to the provider: a
 * pattern could keep the server busy for hours.
 */
export function jsonProblems(value: unknown, schema: unknown, place = 'the answer'): string[] {
  if (!isJsonRecord(schema)) return []
  const problems = [
    ...typeProblems(value, schema, place),
    ...choiceProblems(value, schema, place),
    ...(isJsonRecord(value) ? memberProblems(value, schema, place) : []),
    ...(Array.isArray(value) ? itemProblems(value, schema, place) : []),
  ]
  return problems.slice(0, maxProblems)
}

const listAt = (schema: JsonRecord, key: string): readonly unknown[] | undefined => {
  const value = ownValue(schema, key)
  return Array.isArray(value) ? value : undefined
}

function typeProblems(value: unknown, schema: JsonRecord, place: string): string[] {
  const type = ownValue(schema, 'type')
  // An invalid type name requires nothing.
  const types = (Array.isArray(type) ? type : [type]).filter(each => typeof each === 'string')
  if (types.length > 0 && !types.some(each => hasType(value, each)))
    return [`${place} must be ${types.join(' or ')}`]
  const choices = Object.hasOwn(schema, 'const') ? [schema['const']] : listAt(schema, 'enum')
  if (choices && !choices.some(each => JSON.stringify(each) === JSON.stringify(value)))
    return [`${place} must be one of ${JSON.stringify(choices)}`]
  return []
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'object') return isJsonRecord(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  if (type === 'integer') return Number.isInteger(value)
  // A type that JSON Schema does not know requires nothing.
  return !['string', 'number', 'boolean'].includes(type) || typeof value === type
}

function choiceProblems(value: unknown, schema: JsonRecord, place: string): string[] {
  const whole = listAt(schema, 'allOf')?.flatMap(each => jsonProblems(value, each, place)) ?? []
  const choices = listAt(schema, 'anyOf') ?? listAt(schema, 'oneOf')
  if (!choices || choices.some(each => jsonProblems(value, each, place).length === 0)) return whole
  return [...whole, `${place} has none of the allowed forms`]
}

function memberProblems(value: JsonRecord, schema: JsonRecord, place: string): string[] {
  const listed = ownValue(schema, 'properties')
  const properties = isJsonRecord(listed) ? listed : {}
  const missing = (listAt(schema, 'required') ?? [])
    .filter(key => typeof key === 'string' && !Object.hasOwn(value, key))
    .map(key => `${place} lacks ${JSON.stringify(key)}`)
  const wrong = Object.keys(value).flatMap(key => {
    if (Object.hasOwn(properties, key))
      return jsonProblems(value[key], properties[key], `${place} at ${JSON.stringify(key)}`)
    const closed = ownValue(schema, 'additionalProperties') === false
    return closed ? [`${place} must not have ${JSON.stringify(key)}`] : []
  })
  return [...missing, ...wrong]
}

function itemProblems(value: unknown[], schema: JsonRecord, place: string): string[] {
  const items = ownValue(schema, 'items')
  const problems: string[] = []
  for (const [index, item] of value.entries()) {
    problems.push(...jsonProblems(item, items, `${place} at ${index}`))
    if (problems.length >= maxProblems) break
  }
  return problems
}
