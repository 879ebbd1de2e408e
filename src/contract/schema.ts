import type typebox from 'typebox'

type Schema = Record<string, unknown>

/** Schemas that `Object` leaves out of `required`. */
const optional = new WeakSet<Schema>()

const of =
  (type: string) =>
  (options?: Schema): Schema => ({ type, ...options })

/**
 * Schemas with the types of TypeBox. The package itself would be a third of all modules that a start loads, for
 * these few functions: docs/decisions/2026-11-16-schemas-without-typebox-at-run-time.md.
 */
export const Type = {
  String: of('string'),
  Integer: of('integer'),
  Number: of('number'),
  Boolean: of('boolean'),
  Null: of('null'),
  Unknown: (options?: Schema): Schema => ({ ...options }),
  Unsafe: (schema: Schema): Schema => schema,
  Literal: (value: unknown, options?: Schema): Schema => ({ type: typeof value, const: value, ...options }),
  Enum: (values: readonly unknown[], options?: Schema): Schema => ({ enum: values, ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema): Schema => ({ anyOf, ...options }),
  Array: (items: Schema, options?: Schema): Schema => ({ type: 'array', items, ...options }),
  /** Any name is allowed. */
  Record: (_name: Schema, value: Schema, options?: Schema): Schema => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  Optional: (schema: Schema): Schema => {
    const copy = { ...schema }
    optional.add(copy)
    return copy
  },
  Object: (properties: Record<string, Schema>, options?: Schema): Schema => {
    const required = Object.keys(properties).filter(name => !optional.has(properties[name]!))
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
  },
} as unknown as Pick<
  typeof typebox,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'
>
