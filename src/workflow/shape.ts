import { pointerSegment } from '../contract/finding.ts'
import { isJsonRecord, ownValue } from './json-record.ts'
import { showValue } from './show-value.ts'

/**
 * The type of one field of a node, written as data so that a kind only states what its fields are. A shape
 * defines what a value must be if it is present; `required` of the kind defines whether it must be present.
 */
export type Shape =
  | { readonly is: 'text' }
  /** A text whose references are replaced when the node runs. */
  | { readonly is: 'template' }
  /** Any JSON in which every text is a template. */
  | { readonly is: 'tree' }
  | { readonly is: 'number' }
  | { readonly is: 'boolean' }
  | { readonly is: 'anything' }
  | { readonly is: 'list'; readonly of?: Shape }
  /** Keys are free, every value has the one shape. */
  | { readonly is: 'dictionary'; readonly of?: Shape }
  /** Known keys; further keys are kept as they are. `required` are those that its kind asks for in `gaps`. */
  | { readonly is: 'object'; readonly fields: Fields; readonly required?: readonly string[] }

export type Fields = Readonly<Record<string, Shape>>

export type Report = (path: string, message: string) => void

const names: Readonly<Record<Shape['is'], string>> = {
  text: 'a string',
  template: 'a string',
  tree: 'JSON',
  number: 'a number',
  boolean: 'true or false',
  anything: 'JSON',
  list: 'an array',
  dictionary: 'an object',
  object: 'an object',
}

/** Reports every place inside `value` that has the wrong type. Its depth is the shape's, not the value's. */
export function checkShape(value: unknown, shape: Shape, path: string, report: Report): void {
  if (!hasType(value, shape)) {
    report(path, `Must be ${names[shape.is]}, but is ${showValue(value)}.`)
    return
  }
  if (shape.is === 'object' && isJsonRecord(value)) checkFields(value, shape.fields, path, report)
  if (shape.is === 'list' && shape.of && Array.isArray(value)) {
    for (const [index, element] of value.entries()) checkShape(element, shape.of, `${path}/${index}`, report)
  }
  if (shape.is === 'dictionary' && shape.of && isJsonRecord(value)) {
    for (const key of Object.keys(value)) {
      checkShape(value[key], shape.of, `${path}/${pointerSegment(key)}`, report)
    }
  }
}

export function checkFields(
  record: Readonly<Record<string, unknown>>,
  fields: Fields,
  path: string,
  report: Report,
): void {
  for (const [name, shape] of Object.entries(fields)) {
    if (!Object.hasOwn(record, name)) continue
    checkShape(ownValue(record, name), shape, `${path}/${pointerSegment(name)}`, report)
  }
}

function hasType(value: unknown, shape: Shape): boolean {
  switch (shape.is) {
    case 'text':
    case 'template':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'list':
      return Array.isArray(value)
    case 'dictionary':
    case 'object':
      return isJsonRecord(value)
    default:
      return true
  }
}

/** A text with references and its JSON pointer below the record. */
export interface TemplatePlace {
  readonly pointer: string
  readonly text: string
}

/** Every text of a record whose references are replaced when the node runs. */
export function findTemplates(
  record: Readonly<Record<string, unknown>>,
  fields: Fields,
  pointer = '',
): TemplatePlace[] {
  return Object.entries(fields).flatMap(([name, shape]) =>
    Object.hasOwn(record, name)
      ? templatesIn(ownValue(record, name), shape, `${pointer}/${pointerSegment(name)}`)
      : [],
  )
}

function templatesIn(value: unknown, shape: Shape, pointer: string): TemplatePlace[] {
  if (shape.is === 'template') return typeof value === 'string' ? [{ pointer, text: value }] : []
  if (shape.is === 'tree') return textsIn(value, pointer)
  if (shape.is === 'object') return isJsonRecord(value) ? findTemplates(value, shape.fields, pointer) : []
  const { of } = shape as { of?: Shape }
  if (!of) return []
  if (shape.is === 'list' && Array.isArray(value))
    return value.flatMap((element, index) => templatesIn(element, of, `${pointer}/${index}`))
  if (shape.is === 'dictionary' && isJsonRecord(value))
    return Object.keys(value).flatMap(key => templatesIn(value[key], of, `${pointer}/${pointerSegment(key)}`))
  return []
}

function textsIn(value: unknown, pointer: string): TemplatePlace[] {
  if (typeof value === 'string') return [{ pointer, text: value }]
  if (Array.isArray(value)) return value.flatMap((element, index) => textsIn(element, `${pointer}/${index}`))
  if (!isJsonRecord(value)) return []
  return Object.keys(value).flatMap(key => textsIn(value[key], `${pointer}/${pointerSegment(key)}`))
}
