import { type Html, type HtmlPart, html } from './html.ts'
import { type JsonSchema, referencedName } from './openapi-parts.ts'

/** The type of a field in a word or two; a named schema links to its own table. */
export function typeWords(schema: JsonSchema): Html {
  const name = referencedName(schema)
  if (name !== undefined) return html`<a href="#schema.${name}">${name}</a>`
  if (schema.type === 'array') return html`array of ${schema.items ? typeWords(schema.items) : 'anything'}`
  if (schema.anyOf) return html`${joined(schema.anyOf.map(typeWords), ' or ')}`
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
  const words = unit === '' ? '' : ` ${unit}`
  if (from !== undefined && to !== undefined) return `${number(from)} to ${number(to)}${words}`
  if (from !== undefined) return `at least ${number(from)}${words}`
  if (to !== undefined) return `at most ${number(to)}${words}`
  return undefined
}

const coded = (values: unknown[]): HtmlPart[] =>
  joined(
    values.map(value => html`<code>${JSON.stringify(value)}</code>`),
    ', ',
  )

/** What a value must keep to: a range, a length, a choice, a default. */
export function rangeWords(schema: JsonSchema): Html | undefined {
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
