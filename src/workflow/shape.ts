import { pointerSegment } from '../contract/finding.ts'
import { isJsonRecord, type JsonRecord } from './json-record.ts'
import { showValue } from './show-value.ts'

/**
 * The type of one field of a node, written as data so that a kind only states what its fields are. A shape
 * defines what a value must be if it is present; `required` of the kind defines whether it must be present.
 */
export type Shape =
  | { readonly is: 'text' }
  /** A text whose references are replaced when the node runs. */
  | ({ readonly is: 'template' } & ReferenceRules)
  /** Any JSON in which every text is a template. */
  | ({ readonly is: 'tree' } & ReferenceRules)
  | { readonly is: 'number' }
  | { readonly is: 'boolean' }
  | { readonly is: 'anything' }
  | { readonly is: 'list'; readonly of?: Shape }
  /** Keys are free, every value has the one shape. */
  | { readonly is: 'dictionary'; readonly of?: Shape }
  /** Known keys; further keys are kept as they are. `required` are those that its kind asks for in `gaps`. */
  | { readonly is: 'object'; readonly fields: Fields; readonly required?: readonly string[] }

/** Which references a text may contain besides those to outputs that certainly exist. */
interface ReferenceRules {
  /** The text is only sent to another server; a pattern allows secrets at matching places inside the field. */
  readonly secrets?: true | RegExp
  /** Allows references to nodes that may be skipped: the kind handles a missing value. */
  readonly maySkip?: true
  /** References that start with this name are resolved by the kind itself. */
  readonly local?: string
}

/** The field is used only if another field of the same `data` is not set (`unless`), or is set (`with`). */
export type Fields = Readonly<Record<string, Shape & { readonly unless?: string; readonly with?: string }>>

export type Report = (path: string, message: string) => void

const isText = (value: unknown): boolean => typeof value === 'string'
const isAnything = (): boolean => true

/** The name of each type in messages, and how its values are recognized. */
const types: Readonly<Record<Shape['is'], readonly [name: string, matches: (value: unknown) => boolean]>> = {
  text: ['a string', isText],
  template: ['a string', isText],
  tree: ['JSON', isAnything],
  number: ['a number', Number.isFinite],
  boolean: ['true or false', value => typeof value === 'boolean'],
  anything: ['JSON', isAnything],
  list: ['an array', Array.isArray],
  dictionary: ['an object', isJsonRecord],
  object: ['an object', isJsonRecord],
}

type Visit = (value: unknown, shape: Shape, pointer: string) => void

/** Visits the values inside one, each with its own shape. */
function visitParts(value: unknown, shape: Shape, pointer: string, visit: Visit): void {
  if (shape.is === 'object') {
    if (isJsonRecord(value)) visitFields(value, shape.fields, pointer, visit)
    return
  }
  const of = shape.is === 'tree' ? shape : (shape as { of?: Shape }).of
  if (!of) return
  if (Array.isArray(value) && shape.is !== 'dictionary')
    for (const [index, each] of value.entries()) visit(each, of, `${pointer}/${index}`)
  if (isJsonRecord(value) && shape.is !== 'list')
    for (const key of Object.keys(value)) visit(value[key], of, `${pointer}/${pointerSegment(key)}`)
}

function visitFields(record: JsonRecord, fields: Fields, pointer: string, visit: Visit): void {
  for (const name in fields)
    if (Object.hasOwn(record, name)) visit(record[name], fields[name]!, `${pointer}/${pointerSegment(name)}`)
}

/** Reports every wrong type. Null counts as absent: many clients write null for what is not set. */
export function checkFields(record: JsonRecord, fields: Fields, path: string, report: Report): void {
  const check: Visit = (value, shape, pointer) => {
    const [name, matches] = types[shape.is]
    if (!matches(value)) report(pointer, `Must be ${name}, but is ${showValue(value)}.`)
    else if (shape.is === 'object') visitFields(value as JsonRecord, shape.fields, pointer, checkField)
    else if (shape.is !== 'tree') visitParts(value, shape, pointer, check)
  }
  const checkField: Visit = (value, shape, pointer) => {
    if (value !== null) check(value, shape, pointer)
  }
  visitFields(record, fields, path, checkField)
}

/** JSON pointers to the fields that are null, where their type does not include null. */
export function findNulls(record: JsonRecord, fields: Fields): string[] {
  const found: string[] = []
  const find: Visit = (value, shape, pointer) => {
    if (value === null && !types[shape.is][1](value)) found.push(pointer)
    else if (shape.is !== 'tree') visitParts(value, shape, pointer, find)
  }
  visitFields(record, fields, '', find)
  return found
}

/** A text with references and its JSON pointer below the record. */
interface TemplatePlace {
  readonly pointer: string
  readonly text: string
  readonly allowsSecrets: boolean
  readonly maySkip: boolean
  readonly local: string | undefined
}

/** Every text of a record whose references are replaced when the node runs. */
export function findTemplates(record: JsonRecord, fields: Fields): TemplatePlace[] {
  const found: TemplatePlace[] = []
  const find: Visit = (value, shape, pointer) => {
    if (typeof value !== 'string') visitParts(value, shape, pointer, find)
    else if (shape.is === 'template' || shape.is === 'tree') {
      const { secrets, maySkip = false, local } = shape
      const allowsSecrets = secrets === true || (secrets?.test(pointer) ?? false)
      found.push({ pointer, text: value, allowsSecrets, maySkip, local })
    }
  }
  visitFields(record, fields, '', find)
  return found
}
