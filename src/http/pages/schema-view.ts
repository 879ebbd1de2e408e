import type { JsonSchema, OpenapiDocument } from '../openapi.ts'
import { type Html, type HtmlPart, html, prose } from './html.ts'

/** Every operation of a document, in its order. */
export const operationsOf = (document: OpenapiDocument) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )

export type PathOperation = ReturnType<typeof operationsOf>[number]

const scalars: Record<string, unknown> = { string: 'text', boolean: true, integer: 1, number: 1 }

/** Placeholder for a named schema, which has its own table. */
const elided = Symbol('elided')

/** An example value of a schema: its own example if it has one, otherwise the simplest valid value. */
export function exampleValue(schema: JsonSchema): unknown {
  if (schema.examples) return schema.examples[0]
  if (schema.$ref !== undefined) return elided
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf?.[0]) return exampleValue(schema.anyOf[0])
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([key, property]) => [key, exampleValue(property)]),
    )
  if (schema.type === 'array') return schema.items ? [exampleValue(schema.items)] : []
  if (schema.type === 'object') return {}
  return schema.minimum ?? scalars[schema.type ?? ''] ?? null
}

/**
 * JSON for people: a value that fits stays on one line, a longer one is broken up. `used` is the used width of the first
 * line.
 */
export function prettyJson(value: unknown, width = 54, indent = '', used = indent.length): string {
  const line = onOneLine(value)
  if (typeof value !== 'object' || value === null || used + line.length <= width) return line
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const items = value.map(item => inner + prettyJson(item, width, inner))
    return `[\n${items.join(',\n')}\n${indent}]`
  }
  const members = Object.entries(value).map(([key, member]) => {
    const start = `${inner}${JSON.stringify(key)}: `
    return start + prettyJson(member, width, inner, start.length)
  })
  return `{\n${members.join(',\n')}\n${indent}}`
}

function onOneLine(value: unknown): string {
  if (value === elided) return '{ … }'
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${onOneLine(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** The type of a field; a named schema links to its own table. */
function typeText(schema: JsonSchema): Html {
  const name = schema.$ref?.slice('#/components/schemas/'.length)
  if (name !== undefined) return html`<a href="#schema.${name}">${name}</a>`
  if (schema.type === 'array') return html`array of ${schema.items ? typeText(schema.items) : 'anything'}`
  if (schema.anyOf) return html`${joined(schema.anyOf.map(typeText), ' or ')}`
  if (schema.type) return html`${schema.type}`
  if (schema.enum) return html`${[...new Set(schema.enum.map(value => typeof value))].join(' or ')}`
  return html`anything`
}

const joined = (parts: Html[], between: string): HtmlPart[] =>
  parts.flatMap((part, at) => (at === 0 ? [part] : [between, part]))

const grouped = new Intl.NumberFormat('en-US')

const number = (value: number): string =>
  value === Number.MAX_SAFE_INTEGER ? '2⁵³ − 1' : grouped.format(value)

function span(from: number | undefined, to: number | undefined, unit: string): string | undefined {
  const suffix = unit === '' ? '' : ` ${unit}`
  if (from !== undefined && to !== undefined) return `${number(from)} to ${number(to)}${suffix}`
  if (from !== undefined) return `at least ${number(from)}${suffix}`
  if (to !== undefined) return `at most ${number(to)}${suffix}`
  return undefined
}

const coded = (values: unknown[]): HtmlPart[] =>
  joined(
    values.map(value => html`<code>${JSON.stringify(value)}</code>`),
    ', ',
  )

/** Range, length, allowed values and default. */
function constraintText(schema: JsonSchema): Html | undefined {
  const parts: Html[] = []
  const ranges = [
    span(schema.minimum, schema.maximum, ''),
    span(schema.minLength, schema.maxLength, 'characters'),
    span(schema.minItems, schema.maxItems, 'items'),
  ]
  for (const range of ranges) if (range) parts.push(html`${range}`)
  if (schema.enum) parts.push(html`${coded(schema.enum)}`)
  if (schema.const !== undefined) parts.push(html`always ${coded([schema.const])}`)
  if (schema.pattern) parts.push(html`<a href="#ids">id</a>`)
  if (schema.default !== undefined) parts.push(html`default ${coded([schema.default])}`)
  return parts.length > 0 ? html`${joined(parts, '; ')}` : undefined
}

export interface Field {
  name: string
  schema: JsonSchema
  required: boolean
  depth: number
  description?: string | undefined
}

/** The fields of an object and of the objects in it. */
export function fieldsOf(schema: JsonSchema, depth = 0): Field[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    { name, schema: property, required: schema.required?.includes(name) ?? false, depth },
    ...fieldsOf(property, depth + 1),
  ])
  return schema.items ? [...fields, ...fieldsOf(schema.items, depth)] : fields
}

function row({ name, schema, required, depth, description = schema.description }: Field): Html {
  const range = constraintText(schema)
  return html`<tr${depth > 0 && html` class="d${Math.min(depth, 4)}"`}><th scope="row"><code>${name}</code>${
    required && html`<i>required</i>`
  }</th><td>${typeText(schema)}${range && html`<small>${range}</small>`}</td><td>${
    description && prose(description)
  }</td></tr>`
}

/** A table of fields; `marksRequired` is false for responses, where it would be noise. */
export function fieldTable(caption: string, fields: readonly Field[], marksRequired = true): Html {
  const shown = marksRequired ? fields : fields.map(field => ({ ...field, required: false }))
  return html`<table class="fields"><caption>${caption}</caption><thead><tr><th scope="col">Name</th><th scope="col">Type and constraints</th><th scope="col">Description</th></tr></thead><tbody>${shown.map(row)}</tbody></table>`
}
