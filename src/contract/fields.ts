import type { TOptional, TProperties, TSchema } from 'typebox'
import type { LayoutShape } from './layout-shape.ts'
import { limits } from './limits.ts'
import { idPattern } from './patterns.ts'
import { Type } from './schema.ts'

type Range = readonly [min: number, max: number]

interface Hints<Value> {
  example?: Value
  default?: Value
}

const described = <Value>(description: string, { example, default: initial }: Hints<Value> = {}) => ({
  description,
  ...(example !== undefined && { examples: [example] }),
  ...(initial !== undefined && { default: initial }),
})

/** Text that every database can store: no NUL, no lone surrogate (checked by the format `text`). */
export const text = (description: string, [min, max]: Range, hints?: Hints<string>) =>
  Type.String({
    ...described(description, hints),
    ...(min > 0 && { minLength: min }),
    maxLength: max,
    format: 'text',
  })

export const integerIn = (description: string, [minimum, maximum]: Range, hints?: Hints<number>) =>
  Type.Integer({ ...described(description, hints), minimum, maximum })

export const numberIn = (description: string, [minimum, maximum]: Range, hints?: Hints<number>) =>
  Type.Number({ ...described(description, hints), minimum, maximum })

export const string = (description: string, example?: string) =>
  Type.String(described(description, { example }))

export const boolean = (description: string, example?: boolean) =>
  Type.Boolean(described(description, { example }))

export const integer = (description: string, example?: number) =>
  Type.Integer(described(description, { example }))

export const number = (description: string, example?: number) =>
  Type.Number(described(description, { example }))

export const count = (description: string, example: number) =>
  Type.Integer({ ...described(description, { example }), minimum: 0 })

export const choice = <const Value extends string | number>(
  values: readonly Value[],
  description: string,
  hints?: Hints<Value>,
) => Type.Enum([...values], described(description, hints))

/** On or off: 0 or 1 as in the contract, or the booleans that clients in typed languages send. */
export const onOff = (description: string) =>
  Type.Unsafe<0 | 1 | boolean>({ enum: [0, 1, false, true], description, default: 0 })

export const isOn = (value: 0 | 1 | boolean | undefined): boolean => value === 1 || value === true

export const array = <Item extends TSchema>(
  item: Item,
  description: string,
  { min, max, example }: { min?: number; max?: number; example?: unknown[] } = {},
) =>
  Type.Array(item, {
    ...described(description, { example }),
    ...(min !== undefined && { minItems: min }),
    ...(max !== undefined && { maxItems: max }),
  })

export const orNull = <Schema extends TSchema>(schema: Schema, description: string, example?: unknown) =>
  Type.Union([schema, Type.Null()], described(description, { example }))

/** An object whose members the schema does not check. */
export const anyObject = <Value = Record<string, unknown>>(description: string, example?: unknown) =>
  Type.Unsafe<Value>({ type: 'object', ...described(description, { example }) })

/** The inputs of a run, by name. They are copied several times, which takes long for tens of thousands. */
export const runInputs = (description: string, example?: unknown) => ({
  ...anyObject(description, example),
  maxProperties: limits.inputs,
})

/** A record with a name: the OpenAPI document describes it once, and refers to it everywhere else. */
export const named = <Schema extends TSchema>(name: string, schema: Schema): Schema => ({
  ...schema,
  'x-name': name,
})

/** Fields that a request may omit. */
export const optional = <Fields extends TProperties>(fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as unknown as { [Name in keyof Fields]: TOptional<Fields[Name]> }

export const id = (description: string, example: string) =>
  Type.String({ pattern: idPattern, description, examples: [example] })

/** ISO 8601 with a numeric UTC offset. */
export const time = (description: string) => string(description, '2026-11-15T08:30:00.123+00:00')

/** A time in a request. */
export const moment = (description: string) =>
  text(`${description} ISO 8601, such as 2026-11-15T08:00:00Z; in UTC where it has no offset.`, [1, 40], {
    example: '2026-11-15T08:00:00Z',
  })

const coordinate = Type.Number({ minimum: -limits.coordinate, maximum: limits.coordinate })
/** Top left corner of a node in the drawing. */
export const place = Type.Object({ x: coordinate, y: coordinate })

export const shapesExample = {
  note_1: { type: 'note', x: 0, y: 200, width: 240, height: 120, text: 'Ask legal first', color: 'yellow' },
  group_1: { type: 'group', title: 'Answering', color: 'blue', nodes: ['llm_1'], notes: ['note_1'] },
} as const

/** Positions of nodes in a drawing. */
export const positionsField = Type.Unsafe<Record<string, { x: number; y: number }>>({
  type: 'object',
  additionalProperties: place,
  description: 'Position of the top left corner of each node, by node id.',
  examples: [{ llm_1: { x: 320, y: 80 } }],
})

/** Sticky notes and groups of a drawing. */
export const shapesField = Type.Unsafe<Record<string, LayoutShape>>({
  type: 'object',
  additionalProperties: { type: 'object' },
  description:
    'Sticky notes (`type` `note`: `x`, `y`, `width`, `height`, `text`, `color`) and groups (`type` `group`: `title`, `color`, ids of `nodes` and `notes`), by their ids. Colours are yellow, green, blue, purple, red and grey.',
  examples: [shapesExample],
})
