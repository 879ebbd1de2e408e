const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isClosedObject(schema: Record<string, unknown>): boolean {
  const { properties, required, additionalProperties } = schema
  if (properties === undefined && schema['type'] !== 'object') return true
  const names = isRecord(properties) ? Object.keys(properties) : []
  return (
    additionalProperties === false &&
    (names.length === 0 || (Array.isArray(required) && names.every(name => required.includes(name))))
  )
}

/**
 * Whether a provider may be told to keep to the schema strictly: those who do refuse a schema whose objects are open
 * or have members that may be missing.
 */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema)
  if (!isRecord(schema)) return true
  return isClosedObject(schema) && Object.values(schema).every(isStrictSchema)
}
