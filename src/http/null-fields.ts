import { isRecord } from '../kernel/is-record.ts'

/** The parts of a schema that decide where null may be. */
export interface Schema {
  type?: unknown
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  required?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
  patternProperties?: Readonly<Record<string, Schema>>
  additionalProperties?: boolean | Schema
  items?: Schema
}

/** Changes a value in place. */
type Drop = (value: unknown) => void

/** A schema that states nothing allows everything. */
function allowsNull(schema: Schema): boolean {
  if (schema.anyOf) return schema.anyOf.some(allowsNull)
  if (schema.enum) return schema.enum.includes(null)
  return schema.type === undefined ? !('const' in schema) : schema.type === 'null'
}

/**
 * Returns a function that removes null from optional fields that do not allow it, because many clients send null for
 * fields that they leave out; undefined if the schema has no such field. Where null has a meaning, such as removing a
 * setting, the schema allows it.
 */
export function nullDropper(schema: Schema): Drop | undefined {
  const drops = [
    ...(schema.anyOf ?? []).flatMap(each => nullDropper(each) ?? []),
    ...[fieldDropper(schema), memberDropper(schema), itemDropper(schema)].flatMap(drop => drop ?? []),
  ]
  if (drops.length < 2) return drops[0]
  return value => {
    for (const drop of drops) drop(value)
  }
}

function fieldDropper({ properties = {}, required = [] }: Schema): Drop | undefined {
  const fields = Object.entries(properties).flatMap(([name, schema]) => {
    const isDropped = !required.includes(name) && !allowsNull(schema)
    const inside = nullDropper(schema)
    return isDropped || inside ? [{ name, isDropped, inside }] : []
  })
  if (fields.length === 0) return undefined
  return value => {
    if (!isRecord(value)) return
    for (const { name, isDropped, inside } of fields) {
      if (!Object.hasOwn(value, name)) continue
      if (value[name] !== null) inside?.(value[name])
      else if (isDropped) delete (value as Record<string, unknown>)[name]
    }
  }
}

/** Members under names that the client chooses are not optional fields, but may contain some. */
function memberDropper({ patternProperties = {}, additionalProperties }: Schema): Drop | undefined {
  const free = typeof additionalProperties === 'object' ? [additionalProperties] : []
  const drops = [...Object.values(patternProperties), ...free].flatMap(schema => nullDropper(schema) ?? [])
  if (drops.length === 0) return undefined
  return value => {
    if (isRecord(value)) for (const member of Object.values(value)) for (const drop of drops) drop(member)
  }
}

function itemDropper({ items }: Schema): Drop | undefined {
  const drop = items && nullDropper(items)
  return (
    drop &&
    (value => {
      if (Array.isArray(value)) for (const item of value) drop(item)
    })
  )
}
