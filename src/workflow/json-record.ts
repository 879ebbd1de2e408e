import { isRecord } from '../kernel/is-record.ts'

/** A parsed JSON object: its keys come from the client, so `__proto__` may be one of them. */
export type JsonRecord = Readonly<Record<string, unknown>>

export const isJsonRecord: (value: unknown) => value is JsonRecord = isRecord

/** Reads a key that the client sent, never one inherited from a prototype. */
export const ownValue = (record: JsonRecord, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** The value at a path of keys of objects and indexes of lists; undefined if there is none. */
export function valueInside(value: unknown, path: readonly string[], member = ownValue): unknown {
  let current = value
  for (const key of path) {
    if (Array.isArray(current)) current = /^\d+$/.test(key) ? current[Number(key)] : undefined
    else if (isJsonRecord(current)) current = member(current, key)
    else return undefined
  }
  return current
}
