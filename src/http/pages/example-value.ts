import { type JsonSchema, referencedName } from './openapi-parts.ts'

const scalars: Record<string, unknown> = { string: 'text', boolean: true, integer: 1, number: 1 }

/** A value that a schema describes: the contract's own examples where it has them, else the plainest one. */
export function exampleValue(schema: JsonSchema, schemas: Record<string, JsonSchema>): unknown {
  if (schema.examples) return schema.examples[0]
  const name = referencedName(schema)
  if (name !== undefined) return exampleValue(schemas[name] ?? {}, schemas)
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf?.[0]) return exampleValue(schema.anyOf[0], schemas)
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([key, property]) => [key, exampleValue(property, schemas)]),
    )
  if (schema.type === 'array') return schema.items ? [exampleValue(schema.items, schemas)] : []
  if (schema.type === 'object') return {}
  return schema.minimum ?? scalars[schema.type ?? ''] ?? null
}
