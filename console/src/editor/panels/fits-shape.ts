import type { KindShape } from '../../../../src/contract/kind-operations.ts'
import { isRecord } from '../model/same-json.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** Raw JSON of a number is an object too, but not a plain one. */
export const isObject: (value: unknown) => value is JsonObject = isRecord

/** Whether an input for the shape can show the value; otherwise it is shown as JSON. */
export function fitsShape(shape: KindShape, value: unknown): boolean {
  if (value === undefined) return true
  switch (shape.is) {
    case 'text':
    case 'template':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'list':
      return Array.isArray(value)
    case 'dictionary':
    case 'object':
      return isObject(value)
    default:
      return true
  }
}

/** Whether a list of it is one select. */
const isChosen = ({ input }: KindShape): boolean => input === 'knowledge' || input === 'mcp_tool'

/** Whether its parts have their own fields, which show their own problems. */
export const hasParts = (shape: KindShape, value: unknown): boolean =>
  fitsShape(shape, value) &&
  (shape.is === 'object' ||
    (shape.is === 'list' && shape.of !== undefined && !isChosen(shape.of)) ||
    (shape.is === 'dictionary' && shape.of !== undefined))

/** A record with one key set in place, or removed if the value is undefined. */
export function withKey(record: JsonObject, key: string, value: unknown): JsonObject {
  if (value === undefined) return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
  return { ...record, [key]: value }
}

/** The unescaped segments of a JSON pointer. */
export const segmentsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(segment => segment.replaceAll('~1', '/').replaceAll('~0', '~'))

/** A pointer with one more segment. */
export const pointerBelow = (pointer: string, segment: string | number): string =>
  `${pointer}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`

export const isAtOrBelow = (pointer: string, place: string): boolean =>
  pointer === place || pointer.startsWith(`${place}/`)
