import type { InputVariable } from '../../contract/input-variable.ts'

type Schema = Readonly<Record<string, unknown>>

const fileSchema = { type: 'string', description: 'Id of an uploaded file.' }

/** The JSON schema of a value, without its description. */
function valueSchema({ type, options, max_length }: InputVariable): Schema {
  const max = max_length ?? undefined
  if (type === 'number') return { type }
  if (type === 'checkbox') return { type: 'boolean' }
  if (type === 'select') return { type: 'string', enum: options }
  if (type === 'file') return { type: 'string' }
  if (type === 'files')
    return { type: 'array', items: fileSchema, ...(max !== undefined && { maxItems: max }) }
  return type === 'json' ? {} : { type: 'string', ...(max !== undefined && { maxLength: max }) }
}

const describe = ({ type, name, label, description }: InputVariable): string =>
  [label === name ? '' : label, description, type === 'file' ? fileSchema.description : '']
    .filter(Boolean)
    .join('. ')

function schemaOf(variable: InputVariable): Schema {
  const description = describe(variable)
  const { default: preset } = variable
  return {
    ...valueSchema(variable),
    ...(description !== '' && { description }),
    ...(preset !== null && { default: preset }),
  }
}

const isNeeded = ({ required, default: preset }: InputVariable): boolean => required && preset === null

/** The argument `inputs` of a tool; undefined for a workflow without input variables. */
export function inputsSchema(variables: readonly InputVariable[]) {
  if (variables.length === 0) return undefined
  const required = variables.filter(isNeeded).map(({ name }) => name)
  const properties = Object.fromEntries(variables.map(each => [each.name, schemaOf(each)]))
  return { type: 'object' as const, description: 'Values that the workflow asks for.', properties, required }
}
