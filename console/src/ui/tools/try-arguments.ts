/** A parameter of a tool, for a form. */
export interface TryParameter {
  name: string
  description: string
  isRequired: boolean
  type: 'text' | 'number' | 'boolean' | 'json'
  options: readonly string[] | undefined
  /** The default value, as text. */
  initial: string
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** Reads parameters as the server does: a schema, `{name: description or schema}`, or a list of `{name, …}`. */
function schemasOf(parameters: unknown): [string, unknown][] {
  if (Array.isArray(parameters))
    return parameters.filter(isRecord).map(each => [String(each['name'] ?? ''), each])
  if (!isRecord(parameters)) return []
  if (isRecord(parameters['properties'])) return Object.entries(parameters['properties'])
  return parameters['type'] === 'object' ? [] : Object.entries(parameters)
}

function typeOf(schema: Record<string, unknown>): TryParameter['type'] {
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'boolean'
  return type === 'object' || type === 'array' ? 'json' : 'text'
}

function parameterOf(name: string, given: unknown, isRequired: boolean): TryParameter {
  const schema = isRecord(given) ? given : { description: given }
  const options = Array.isArray(schema['enum']) ? schema['enum'].map(textOf) : undefined
  return {
    ...{ name, isRequired, options, type: typeOf(schema) },
    description: typeof schema['description'] === 'string' ? schema['description'] : '',
    initial: textOf(schema['default']),
  }
}

/** The parameters of a tool, with those that only its URL names. */
export function tryParameters(parameters: unknown, url: string): TryParameter[] {
  const required = isRecord(parameters) && Array.isArray(parameters['required']) ? parameters['required'] : []
  const inUrl = [...url.replace(/\{\{#.*?#\}\}/g, '').matchAll(/\{([^{}/?#]+)\}/g)].map(match => match[1]!)
  const schemas = new Map(schemasOf(parameters).filter(([name]) => name !== ''))
  for (const name of inUrl) if (!schemas.has(name)) schemas.set(name, {})
  return [...schemas].map(([name, schema]) =>
    parameterOf(name, schema, required.includes(name) || inUrl.includes(name)),
  )
}

/** The typed arguments; a field that is left empty is not sent. `wrong` names the first one that is not of its type. */
export function readArguments(
  parameters: readonly TryParameter[],
  typed: Readonly<Record<string, string>>,
): { given: Record<string, unknown>; wrong: string | undefined } {
  const given: Record<string, unknown> = {}
  for (const { name, type } of parameters) {
    const text = typed[name] ?? ''
    if (text === '') continue
    if (type === 'text') given[name] = text
    else
      try {
        given[name] = JSON.parse(text)
      } catch {
        return { given, wrong: name }
      }
  }
  return { given, wrong: undefined }
}
