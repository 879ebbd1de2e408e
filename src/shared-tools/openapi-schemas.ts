import { decodePercent } from '../kernel/decode-percent.ts'
import { isJsonRecord, type JsonRecord, ownValue } from '../workflow/json-record.ts'
import { plainText } from './imported-tool.ts'

/** Deeper levels of a schema are left open. */
const maxDepth = 12
/** The maximum number of schemas of one tool; further ones are left open. */
const maxSchemas = 1000
const maxHops = 10

export const record = (value: unknown): JsonRecord => (isJsonRecord(value) ? value : {})
export const textIn = (value: unknown): string => (typeof value === 'string' ? plainText(value.trim()) : '')

const keptKeywords = new Set([
  ...['type', 'enum', 'const', 'default', 'format', 'required', 'title', 'pattern', 'minimum', 'maximum'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'additionalProperties'],
])
/** Those of 64-bit integers were read as texts, but must be numbers; rounded ones do no harm. */
const bounds = new Set(['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'])
const schemaLists = new Set(['allOf', 'anyOf', 'oneOf'])

/** Follows the references of schemas, so that each is complete on its own. One instance per tool. */
export class OpenapiSchemas {
  readonly #document: JsonRecord
  readonly #note: (message: string) => void
  #visited = 0

  constructor(document: JsonRecord, note: (message: string) => void) {
    this.#document = document
    this.#note = note
  }

  /** What a reference leads to; anything else as it is. */
  find(value: unknown): JsonRecord {
    return this.#follow(value).found
  }

  #follow(value: unknown): { found: JsonRecord; references: string[] } {
    const references: string[] = []
    let found: unknown = value
    for (;;) {
      const reference = isJsonRecord(found) ? ownValue(found, '$ref') : undefined
      if (typeof reference !== 'string') return { found: record(found), references }
      if (!reference.startsWith('#/')) {
        this.#note(`"${reference.slice(0, 100)}" is outside of the document and was left out.`)
        return { found: {}, references }
      }
      if (references.length === maxHops || references.includes(reference)) return { found: {}, references }
      references.push(reference)
      found = this.#at(reference)
      if (found === undefined) this.#note(`"${reference.slice(0, 100)}" does not exist in the document.`)
    }
  }

  #at(reference: string): unknown {
    let found: unknown = this.#document
    for (const part of reference.slice(2).split('/'))
      found = ownValue(record(found), decodePercent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    return found
  }

  /** The schema with its references replaced. One that contains itself is cut where it begins again. */
  schema(value: unknown, inside: readonly string[] = [], depth = 0): JsonRecord {
    const { found, references } = this.#follow(value)
    const circle = references.find(each => inside.includes(each))
    this.#visited += 1
    if (circle !== undefined || depth > maxDepth || this.#visited > maxSchemas) {
      const name = circle?.split('/').at(-1)
      this.#note(
        name
          ? `The schema "${name}" contains itself and was cut there.`
          : 'A part of its schema was cut: it is too large.',
      )
      return typeof found['type'] === 'string' ? { type: found['type'] } : {}
    }
    const within = [...inside, ...references]
    const next = (each: unknown): JsonRecord => this.schema(each, within, depth + 1)
    const kept: Record<string, unknown> = {}
    for (const [key, member] of Object.entries(found)) {
      if (key === 'properties' && isJsonRecord(member))
        kept[key] = Object.fromEntries(Object.entries(member).map(([name, each]) => [name, next(each)]))
      else if (key === 'items' || (key === 'additionalProperties' && isJsonRecord(member)))
        kept[key] = next(member)
      else if (schemaLists.has(key) && Array.isArray(member)) kept[key] = member.map(next)
      else if (key === 'description') kept[key] = textIn(member).slice(0, 1000)
      else if (bounds.has(key) && typeof member === 'string') {
        if (Number.isFinite(Number(member))) kept[key] = Number(member)
      } else if (keptKeywords.has(key) && !JSON.stringify(member).includes('{{#')) kept[key] = member
    }
    return merged(kept)
  }
}

/** Models read one object more reliably than the parts of an `allOf`. */
function merged(schema: JsonRecord): JsonRecord {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf)) return schema
  const parts = [...(allOf as JsonRecord[]), rest]
  const properties = Object.assign({}, ...parts.map(part => record(part['properties'])))
  const required = parts.flatMap(part => (Array.isArray(part['required']) ? part['required'] : []))
  return Object.assign({}, ...parts, {
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  })
}
