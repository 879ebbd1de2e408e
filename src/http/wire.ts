import type { Static, TProperties, Type } from 'typebox'
import { invalidField } from '../kernel/app-error.ts'
import { isoTime } from '../kernel/clock.ts'

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name
type SourceName<Name, Renamed> = Name extends keyof Renamed ? Renamed[Name] & string : CamelCase<Name>
type Nullable<Fields extends TProperties> = {
  [Name in keyof Fields]: null extends Static<Fields[Name]> ? Name : never
}[keyof Fields]

/** The record of a response; fields that are null in the response may be absent in it. */
type Source<Fields extends TProperties, Renamed> = {
  readonly [Name in Exclude<keyof Fields, Nullable<Fields>> as SourceName<Name, Renamed>]: unknown
} & {
  readonly [Name in Nullable<Fields> as SourceName<Name, Renamed>]?: unknown
}

const camelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** To snake_case, with times in ISO 8601 and null for absent values. `renamed` maps fields to other members. */
export function wireWriter<
  Fields extends TProperties,
  const Renamed extends { [Name in keyof Fields]?: string } = Record<never, never>,
>(fields: Fields, renamed?: Renamed) {
  const members = Object.keys(fields).map(name => ({
    name,
    from: renamed?.[name] ?? camelCase(name),
    isTime: name.endsWith('_at'),
  }))
  return (record: Source<Fields, Renamed>) => {
    const values = record as Record<string, unknown>
    const sent: Record<string, unknown> = {}
    for (const { name, from, isTime } of members) {
      const value = values[from]
      sent[name] = isTime && value !== undefined ? isoTime(value as number) : (value ?? null)
    }
    return sent as Static<Type.TObject<Fields>>
  }
}

/** Reads only fields of the contract, so that unknown fields are never stored. */
export function wireReader<Fields extends TProperties>(fields: Fields) {
  const members = Object.keys(fields).map(name => [name, camelCase(name)] as const)
  return <Sent extends object>(sent: Sent) => {
    const values = sent as Record<string, unknown>
    const present = members.filter(([name]) => values[name] !== undefined)
    return Object.fromEntries(present.map(([name, to]) => [to, values[name]])) as {
      [Name in keyof Sent & keyof Fields as CamelCase<Name>]: Sent[Name]
    }
  }
}

const timeForm = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?( ?(?:Z|[+-]\d\d:?\d\d))?$/

/** Parses a time of a request. Without an offset it is in UTC; a date means the beginning of the day. */
export function momentOf(text: string | undefined, pointer: string): number | undefined {
  if (text === undefined) return undefined
  const [whole, time, offset] = timeForm.exec(text) ?? []
  // Without an offset it would be in the time zone of the server.
  const at = whole === undefined ? Number.NaN : Date.parse(time && !offset ? `${text}Z` : text)
  // 30 February would be a day in March.
  const [year, month, day] = text.split(/\D/, 3).map(Number)
  if (Number.isNaN(at) || new Date(Date.UTC(year!, month! - 1, day)).getUTCDate() !== day)
    throw invalidField(pointer, 'must be a time such as 2026-11-15T08:00:00Z')
  return at
}
