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
  keyword: string
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

/** Ajv's own keywords count every code point, which takes long for millions of them; most texts need no counting. */
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

function checker(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    strict: false,
    coerceTypes,
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

const bodies = checker(false)
/** Query strings are text, so `version=3` is coerced to a number. */
const queries = checker(true)

/** A body without the nulls that count as absent, checked. */
export function compileBody(schema: TSchema): Check {
  const compiled = bodies.compile(schema) as Check
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

const messageOf = ({ keyword, params, message }: SchemaError): string =>
  messages[keyword]?.(params) ?? message ?? 'is invalid'

/** The errors of a schema check, each with the JSON pointer of its field. */
export function findingsOf(errors: SchemaError[]): Finding[] {
  const found = new Map<string, string[]>()
  const choices = new Set<string>()
  for (const error of errors) {
    const missing =
      error.keyword === 'required' ? `/${pointerSegment(String(error.params['missingProperty']))}` : ''
    const path = `${error.instancePath}${missing}`
    const known = found.get(path)
    // It follows the errors of its alternatives.
    if (error.keyword === 'anyOf' && known) choices.add(path)
    else if (known) known.push(messageOf(error))
    else if (found.size < limits.findings) found.set(path, [messageOf(error)])
  }
  return [...found].map(([path, all]) => ({
    path,
    // Otherwise the first one is enough.
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
