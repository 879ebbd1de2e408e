import { pointerSegment } from '../contract/finding.ts'
import { isRecord } from '../kernel/is-record.ts'
import type { Schema } from './null-fields.ts'

/** Unknown fields of a request are ignored, so that newer clients work; this header of the response names them. */
export const ignoredFieldsHeader = 'x-ignored-fields'

const maxNames = 10
const maxNameLength = 100
/** The maximum number of values to check: most requests have few, and a long list repeats the fields of its first items. */
const maxValues = 200

/** JSON pointers as the value of a header. Objects whose names the client chooses have no unknown fields. */
export function ignoredFields(schema: Schema, value: unknown): string | undefined {
  const found: string[] = []
  let values = 0
  const visit = (schemas: readonly Schema[], each: unknown, path: string): void => {
    if (typeof each !== 'object' || each === null || found.length >= maxNames || ++values > maxValues) return
    const shapes = schemas.flatMap(alternatives)
    if (Array.isArray(each)) {
      const items = shapes.flatMap(shape => shape.items ?? [])
      for (const [index, item] of each.slice(0, items.length > 0 ? maxValues : 0).entries())
        visit(items, item, `${path}/${index}`)
    } else if (isRecord(each) && !shapes.some(isOpen)) {
      for (const name of Object.keys(each)) {
        const inside = shapes.flatMap(shape =>
          Object.hasOwn(shape.properties ?? {}, name) ? shape.properties![name]! : [],
        )
        const at = `${path}/${pointerSegment(name)}`
        if (inside.length > 0) visit(inside, each[name], at)
        else if (found.length < maxNames) found.push(headerText(at))
      }
    }
  }
  visit([schema], value, '')
  return found.length > 0 ? found.join(', ') : undefined
}

const alternatives = (schema: Schema): readonly Schema[] =>
  schema.anyOf ? schema.anyOf.flatMap(alternatives) : [schema]

/** Whether the schema allows any name, or says nothing about names. */
const isOpen = ({ type, properties, patternProperties, additionalProperties }: Schema): boolean =>
  (type === undefined || type === 'object') &&
  (!properties || patternProperties !== undefined || Boolean(additionalProperties))

/** Escapes a name, which the client chose: a header may hold only visible ASCII, and commas separate names. */
const headerText = (pointer: string): string =>
  encodeURI(pointer.slice(0, maxNameLength).toWellFormed()).replaceAll(',', '%2C')
