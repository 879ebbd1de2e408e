import { isRecord } from '../../kernel/is-record.ts'

/** Keywords that describe nothing of the value, or that providers with a subset of JSON Schema, as Gemini, reject. */
const omitted = new Set([
  '$schema',
  '$id',
  '$comment',
  '$ref',
  '$defs',
  'definitions',
  'additionalProperties',
])
const maxDepth = 32
/** References to each other can make a small schema endless. */
const maxValues = 5000

function targetOf(root: unknown, reference: unknown): Record<string, unknown> | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined
  const names = reference.slice('#/'.length).split('/')
  const target = names
    .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      root,
    )
  return isRecord(target) ? target : undefined
}

/** A JSON Schema without references and without the keywords that not every provider accepts. */
export function plainSchema(root: unknown): unknown {
  let left = maxValues

  function plain(value: unknown, depth: number): unknown {
    if (Array.isArray(value)) return value.map(each => plain(each, depth + 1))
    if (!isRecord(value)) return value
    if (depth > maxDepth || --left < 0) return {}
    const target = targetOf(root, value['$ref'])
    if (target) return plain({ ...target, ...value, $ref: target['$ref'] }, depth + 1)
    const members = Object.entries(value).filter(([name]) => !omitted.has(name))
    return Object.fromEntries(members.map(([name, each]) => plainMember(name, each, depth + 1)))
  }

  function plainMember(name: string, value: unknown, depth: number): [string, unknown] {
    if (name === 'const') return ['enum', [value]]
    // Its members are names, not keywords.
    if (name === 'properties' && isRecord(value))
      return [name, Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each, depth)]))]
    return [name, plain(value, depth)]
  }

  return plain(root, 0)
}
