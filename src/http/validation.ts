import { Ajv } from 'ajv'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import type { TSchema } from 'typebox'
import { type Finding, pointerSegment } from '../contract/finding.ts'
import { limits } from '../contract/limits.ts'
import { patternMessages } from '../contract/patterns.ts'
import { AppError } from '../kernel/app-error.ts'
import { nullDropper, type Schema } from './null-fields.ts'

interface SchemaError {
  instancePath: string
  schemaPath: string
  keyword: string
  /** Set if the error is about a key, not its value. */
  propertyName?: string
  message?: string
  params: Record<string, unknown>
}

export type Check = ((value: unknown) => boolean) & { errors?: SchemaError[] | null }

const isText = (value: string): boolean => value.isWellFormed() && !value.includes('\0')

/** The number of code points, counted only as far as `max`. */
function lengthOf(text: string, max: number): number {
  let length = 0
  for (const _ of text) if (++length >= max) break
  return length
}

/** Replaces Ajv's keywords, which count every code point even of a text of millions that needs no counting. */
const lengthKeywords: Record<string, (text: string, limit: number) => boolean> = {
  minLength: (text, limit) => text.length >= limit * 2 || lengthOf(text, limit) >= limit,
  maxLength: (text, limit) =>
    text.length <= limit || (text.length <= limit * 2 && lengthOf(text, limit + 1) <= limit),
}

function lengthCheck(keyword: string, limit: number): DataValidateFunction {
  const isValid = lengthKeywords[keyword]!
  const check: DataValidateFunction = (text: string) => {
    if (isValid(text, limit)) return true
    check.errors = [{ keyword, params: { limit } }]
    return false
  }
  return check
}

function checker(options: { allErrors: boolean; coerceTypes: boolean }): Ajv {
  const ajv = new Ajv({
    ...options,
    strict: false,
    useDefaults: false,
    // The tests check the schemas; compiling the schema of all schemas would take a tenth of every start.
    validateSchema: false,
  })
  ajv.addFormat('text', isText)
  for (const keyword of Object.keys(lengthKeywords)) {
    ajv.removeKeyword(keyword)
    const compile = (limit: number) => lengthCheck(keyword, limit)
    ajv.addKeyword({ keyword, type: 'string', schemaType: 'number', compile })
  }
  return ajv
}

const bodies = checker({ allErrors: true, coerceTypes: false })
const largeBodies = checker({ allErrors: false, coerceTypes: false })
/** Query strings are text, so `version=3` is coerced to a number. */
const queries = checker({ allErrors: true, coerceTypes: true })

/** Checks a body after removing the nulls that count as absent. */
function compileWith(ajv: Ajv, schema: TSchema): Check {
  const compiled = ajv.compile(schema) as Check
  const drop = nullDropper(schema as Schema)
  if (!drop) return compiled
  const check: Check = value => {
    drop(value)
    const isValid = compiled(value)
    check.errors = compiled.errors ?? null
    return isValid
  }
  return check
}
export const compileBody = (schema: TSchema): Check => compileWith(bodies, schema)
/** Checks up to the first error: collecting tens of thousands would block the event loop. */
export const compileLargeBody = (schema: TSchema): Check => compileWith(largeBodies, schema)
export const compileQuery = (schema: TSchema): Check => queries.compile(schema) as Check

/** By keyword; other errors keep the message of the validator. */
const messages: Record<string, (params: SchemaError['params']) => string> = {
  required: () => 'is required',
  type: ({ type }) => `must be ${type === 'null' ? '' : /^[aeio]/.test(String(type)) ? 'an ' : 'a '}${type}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).join(', ')}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  pattern: ({ pattern }) => patternMessages[String(pattern)]!,
  minLength: ({ limit }) => `must NOT have fewer than ${limit} characters`,
  maxLength: ({ limit }) => `must NOT have more than ${limit} characters`,
  format: () => 'must not contain NUL characters or lone surrogates',
}

function messageOf({ keyword, params, message, propertyName }: SchemaError): string {
  const problem = messages[keyword]?.(params) ?? message ?? 'is invalid'
  return propertyName === undefined ? problem : `has an invalid name, which ${problem}`
}

/** Limits keys in messages, because a key may be as long as a body. */
const maxNameLength = 100

function pathOf({ instancePath, keyword, params, propertyName }: SchemaError): string {
  const name = keyword === 'required' ? String(params['missingProperty']) : propertyName
  return name === undefined ? instancePath : `${instancePath}/${pointerSegment(name.slice(0, maxNameLength))}`
}

/** Whether an error shows that the value belongs to another alternative. */
const isOtherKind = ({ keyword }: SchemaError): boolean => ['type', 'const', 'enum'].includes(keyword)

/** The errors that led to the one at `last`: they are directly before it. */
function causesOf(errors: SchemaError[], last: number): SchemaError[] {
  const inside = `${errors[last]!.schemaPath}/`
  let first = last
  while (first > 0 && errors[first - 1]!.schemaPath.startsWith(inside)) first--
  return errors.slice(first, last)
}

/** Removes the errors of alternatives that the value does not resemble, if it resembles another one. */
function ofNearest(errors: SchemaError[]): SchemaError[] {
  const dropped = new Set<SchemaError>()
  for (const [at, { keyword, instancePath, schemaPath }] of errors.entries()) {
    if (keyword !== 'anyOf') continue
    const alternatives = Map.groupBy(
      causesOf(errors, at),
      error => error.schemaPath.slice(schemaPath.length).split('/')[1],
    )
    // An alternative may have alternatives of its own, whose errors were judged before.
    const isNear = (each: SchemaError[]): boolean =>
      each.every(error => error.instancePath !== instancePath || dropped.has(error) || !isOtherKind(error))
    if (![...alternatives.values()].some(isNear)) continue
    for (const each of alternatives.values()) if (!isNear(each)) for (const error of each) dropped.add(error)
  }
  return errors.filter(error => !dropped.has(error))
}

/** The errors of a schema check, each with the JSON pointer of its field. */
export function findingsOf(errors: SchemaError[]): Finding[] {
  const found = new Map<string, string[]>()
  const choices = new Set<string>()
  for (const [at, { keyword, params }] of errors.entries())
    if (keyword === 'propertyNames')
      for (const error of causesOf(errors, at)) error.propertyName ??= String(params['propertyName'])
  for (const error of ofNearest(errors)) {
    // This error only follows those of the keys.
    if (error.keyword === 'propertyNames') continue
    const path = pathOf(error)
    const known = found.get(path)
    // This error only follows those of the alternatives, which may be errors of inner fields.
    if (error.keyword === 'anyOf') choices.add(path)
    else if (known) known.push(messageOf(error))
    else if (found.size < limits.findings) found.set(path, [messageOf(error)])
  }
  return [...found].map(([path, all]) => ({
    path,
    // For a field without alternatives the first message is enough.
    message: choices.has(path) ? eitherOf(all) : all[0]!,
  }))
}

/** `must be an integer or "draft"` */
function eitherOf(all: readonly string[]): string {
  const [first, ...others] = new Set(all)
  const start = 'must be '
  const isShort = first!.startsWith(start) && others.every(other => other.startsWith(start))
  return [first, ...others.map(other => (isShort ? other.slice(start.length) : other))].join(' or ')
}

const sentence = (findings: Finding[]): string => {
  const shown = findings.slice(0, 3).map(({ path, message }) => `${path || 'The body'} ${message}`)
  return findings.length > 3 ? `${shown.join('; ')}; and ${findings.length - 3} more` : shown.join('; ')
}

/** Rejects an invalid value with every invalid field. */
export function refuseUnless(check: Check, value: unknown): void {
  if (check(value)) return
  const errors = findingsOf(check.errors ?? [])
  throw new AppError('invalid_request', sentence(errors), { errors })
}
