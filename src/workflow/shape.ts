import { pointerSegment } from '../contract/finding.ts'
import { isJsonRecord, ownValue } from './json-record.ts'
import { showValue } from './show-value.ts'

/**
 * The type of one field of a node, written as data so that a kind only states what its fields are. A shape
 * says what a value must be where it is present; whether it must be present is `required` of the kind.
 */
export type Shape =
  | { readonly is: 'text' }
  | { readonly is: 'list'; readonly of?: Shape }
  /** Keys are free, every value has the one shape. */
  | { readonly is: 'dictionary'; readonly of?: Shape }
  /** Known keys; further keys are kept as they are. */
  | { readonly is: 'object'; readonly fields: Fields }

export type Fields = Readonly<Record<string, Shape>>

export type Report = (path: string, message: string) => void

const names: Readonly<Record<Shape['is'], string>> = {
  text: 'a string',
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
  if (shape.is === 'text') return typeof value === 'string'
  return shape.is === 'list' ? Array.isArray(value) : isJsonRecord(value)
}
