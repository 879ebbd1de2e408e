type Schema = Record<string, unknown>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** `undefined` where the text mentions none of them. */
function chosen(choices: unknown[], text: string): unknown {
  const lower = text.toLowerCase()
  const named = choices.find(each => typeof each === 'string' && each && lower.includes(each.toLowerCase()))
  return named ?? (choices.includes(null) ? null : undefined)
}

function filledObject(schema: Schema, text: string): Record<string, unknown> {
  const filled: Record<string, unknown> = {}
  const properties = isSchema(schema['properties']) ? schema['properties'] : {}
  for (const [name, property] of Object.entries(properties)) {
    const value = isSchema(property) ? fillSchema(property, text) : undefined
    if (value !== undefined) filled[name] = value
    else if (listOf(schema['required']).includes(name)) filled[name] = null
  }
  return filled
}

/** A value of the schema derived from the text: an option that it mentions, its first number, its beginning. */
export function fillSchema(schema: Schema, text: string): unknown {
  const ways = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(ways)) {
    const values = ways.filter(isSchema).map(way => fillSchema(way, text))
    return values.find(value => value !== null && value !== undefined) ?? null
  }
  if (Array.isArray(schema['enum'])) return chosen(schema['enum'], text)
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  if (type === 'object' || schema['properties']) return filledObject(schema, text)
  if (type === 'array') {
    const item = isSchema(schema['items']) ? fillSchema(schema['items'], text) : undefined
    return item === undefined || item === null ? [] : [item]
  }
  if (type === 'number' || type === 'integer') {
    const found = /-?\d+(\.\d+)?/.exec(text)
    return found ? Number(found[0]) : undefined
  }
  if (type === 'boolean') return /\b(yes|true)\b|是/.test(text)
  return type === 'string' ? text.slice(0, 60) : undefined
}
