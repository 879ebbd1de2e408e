import { validGraph } from './graphs.ts'
import type { Schema } from './interface.ts'
import type { Random } from './random.ts'

/** Existing ids, by the prefix that the examples of the interface use. */
export type KnownIds = Record<string, readonly string[]>

const prefixOf = (example: string): string => /^([a-z]+)_/.exec(example)?.[1] ?? example

/** A value that the schema allows. */
export function sample(schema: Schema, known: KnownIds, random: Random): unknown {
  if (typeof schema['$ref'] === 'string') return validGraph(random)
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return random.pick(schema['enum'])
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
  if (choices) return sample(random.pick(choices), known, random)
  switch (schema['type']) {
    case 'string':
      return sampleString(schema, known, random)
    case 'integer':
    case 'number': {
      const minimum = (schema['minimum'] as number | undefined) ?? 0
      return minimum + random.below(random.chance(0.8) ? 3 : 100)
    }
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    case 'array': {
      const least = (schema['minItems'] as number | undefined) ?? 0
      const items = (schema['items'] ?? {}) as Schema
      return Array.from({ length: least + random.below(3) }, () => sample(items, known, random))
    }
    default:
      return sampleObject(schema, known, random)
  }
}

function sampleString(schema: Schema, known: KnownIds, random: Random): string {
  const example = (schema['examples'] as string[] | undefined)?.[0]
  if (typeof schema['pattern'] === 'string' && example !== undefined) {
    const ids = known[prefixOf(example)] ?? []
    return ids.length > 0 && random.chance(0.8) ? random.pick(ids) : `${prefixOf(example)}_none`
  }
  return random.pick(['a', 'coffee', '咖啡', 'SGVsbG8gYmFueWFuLgo=', 'x'.repeat(40)])
}

function sampleObject(schema: Schema, known: KnownIds, random: Random): Record<string, unknown> {
  const required = new Set((schema['required'] as string[] | undefined) ?? [])
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>
  const entries = Object.entries(properties)
    .filter(([name]) => required.has(name) || random.chance(0.4))
    .map(([name, property]) => [name, sample(property, known, random)])
  return Object.fromEntries(entries)
}
