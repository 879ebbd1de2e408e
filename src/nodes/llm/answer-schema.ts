import { hasLostDigits } from '../../kernel/parse-in-pieces.ts'
import { atOnce, inSlices, type Pausable } from '../../kernel/slices.ts'
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

function defaultsOf(schema: JsonRecord): Map<string, unknown> {
  const properties = Object.entries(recordAt(schema, 'properties'))
  return new Map(
    properties.flatMap(([name, each]) =>
      isJsonRecord(each) && Object.hasOwn(each, 'default') ? [[name, each['default']] as const] : [],
    ),
  )
}

/** Removes nulls of members with a default, unless null is allowed: models write null for values that they did not find. */
export function withoutNulls(answer: unknown, schema: JsonRecord): unknown {
  if (!isJsonRecord(answer)) return answer
  const defaults = defaultsOf(schema)
  const properties = recordAt(schema, 'properties')
  const isLeftOut = ([name, value]: [string, unknown]): boolean =>
    value === null && defaults.has(name) && atOnce(hasProblem(problemsIn(null, properties[name], name)))
  return Object.fromEntries(Object.entries(answer).filter(each => !isLeftOut(each)))
}

export const withDefaults = (answer: unknown, schema: JsonRecord): unknown =>
  isJsonRecord(answer)
    ? Object.fromEntries(new Map([...defaultsOf(schema), ...Object.entries(answer)]))
    : answer

const maxProblems = 10

/**
 * Finds violations of a JSON Schema, as messages for the model. It checks the structural keywords (type, enum, const,
 * properties, required, additionalProperties, items, anyOf, oneOf, allOf) and leaves the others to the provider: a
 * pattern could keep the server busy for hours. Each of many values may be compared with each of many forms, so this
 * runs in slices.
 */
export const jsonProblems = (
  value: unknown,
  schema: unknown,
  caller: { readonly signal: AbortSignal },
): string[] | Promise<string[]> => inSlices(firstProblems(problemsIn(value, schema, 'the answer')), caller)

/** Problems, and undefined where the search may pause. */
type Problems = Generator<string | undefined, void>

function* firstProblems(problems: Problems): Pausable<string[]> {
  const found: string[] = []
  for (const problem of problems)
    if (problem === undefined) yield
    else if (found.push(problem) === maxProblems) break
  return found
}

function* hasProblem(problems: Problems): Pausable<boolean> {
  for (const problem of problems)
    if (problem === undefined) yield
    else return true
  return false
}

const recordAt = (schema: JsonRecord, key: string): JsonRecord => {
  const value = ownValue(schema, key)
  return isJsonRecord(value) ? value : {}
}

const listAt = (schema: JsonRecord, key: string): readonly unknown[] | undefined => {
  const value = ownValue(schema, key)
  return Array.isArray(value) ? value : undefined
}

function* problemsIn(value: unknown, schema: unknown, place: string): Problems {
  yield
  if (!isJsonRecord(schema)) return
  yield* typeProblems(value, schema, place)
  for (const each of listAt(schema, 'allOf') ?? []) yield* problemsIn(value, each, place)
  const forms = listAt(schema, 'anyOf') ?? listAt(schema, 'oneOf')
  if (forms && !(yield* hasForm(value, forms, place))) yield `${place} has none of the allowed forms`
  if (isJsonRecord(value)) yield* memberProblems(value, schema, place)
  if (Array.isArray(value))
    for (const [index, item] of value.entries())
      yield* problemsIn(item, ownValue(schema, 'items'), `${place} at ${index}`)
}

function* hasForm(value: unknown, forms: readonly unknown[], place: string): Pausable<boolean> {
  for (const each of forms) if (!(yield* hasProblem(problemsIn(value, each, place)))) return true
  return false
}

/** The texts of the values of an `enum`: there may be as many as values that are compared with them. */
const textsOfChoices = new WeakMap<readonly unknown[], ReadonlySet<string>>()

function isAmong(choices: readonly unknown[], value: unknown): boolean {
  const texts = textsOfChoices.get(choices) ?? new Set(choices.map(each => JSON.stringify(each)))
  textsOfChoices.set(choices, texts)
  return texts.has(JSON.stringify(value))
}

function* typeProblems(value: unknown, schema: JsonRecord, place: string): Generator<string> {
  const type = ownValue(schema, 'type')
  // Invalid type names are ignored.
  const types = (Array.isArray(type) ? type : [type]).filter(each => typeof each === 'string')
  const choices = Object.hasOwn(schema, 'const') ? [schema['const']] : listAt(schema, 'enum')
  if (types.length > 0 && !types.some(each => hasType(value, each)))
    yield `${place} must be ${types.join(' or ')}`
  else if (choices && !isAmong(choices, value)) yield `${place} must be one of ${JSON.stringify(choices)}`
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'object') return isJsonRecord(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  const isNumber = typeof value === 'number' || (typeof value === 'string' && isLongInteger(value))
  if (type === 'number') return isNumber
  if (type === 'integer') return isNumber && Number.isInteger(Number(value))
  // A type that JSON Schema does not know requires nothing.
  return !['string', 'boolean'].includes(type) || typeof value === type
}

/** An integer that was parsed as a text, because it would lose digits. */
const isLongInteger = (text: string): boolean => hasLostDigits(Number(text), text)

function* memberProblems(value: JsonRecord, schema: JsonRecord, place: string): Problems {
  const properties = recordAt(schema, 'properties')
  for (const key of listAt(schema, 'required') ?? [])
    if (typeof key === 'string' && !Object.hasOwn(value, key)) yield `${place} lacks ${JSON.stringify(key)}`
  const isClosed = ownValue(schema, 'additionalProperties') === false
  for (const key of Object.keys(value))
    if (Object.hasOwn(properties, key))
      yield* problemsIn(value[key], properties[key], `${place} at ${JSON.stringify(key)}`)
    else if (isClosed) yield `${place} must not have ${JSON.stringify(key)}`
}
