import type { JsonRecord } from '../../workflow/node-kind.ts'
import type { Parameter } from './parameter.ts'

/** What the model answers in every turn: the values it found, and what to say to the user. */
export function turnSchema(parameters: readonly Parameter[]): JsonRecord {
  const properties = parameters.map(parameter => [parameter.name, valueSchema(parameter)])
  return {
    type: 'object',
    properties: {
      values: {
        type: 'object',
        properties: Object.fromEntries(properties) as JsonRecord,
        required: parameters.map(({ name }) => name),
        additionalProperties: false,
      },
      reply: { type: 'string', description: 'What to say to the user: a question for what is missing.' },
    },
    required: ['values', 'reply'],
    additionalProperties: false,
  }
}

function valueSchema({ type, description, options }: Parameter): JsonRecord {
  const found = options.length > 0 ? choice(options) : { type: 'string' }
  const form: Record<Parameter['type'], JsonRecord> = {
    select: found,
    list: { type: 'array', items: found },
    text: { type: 'string' },
    number: { type: 'number' },
    boolean: { type: 'string', enum: ['yes', 'true', '是', 'no', 'false', '否'] },
    date: { type: 'string', description: 'yyyy-mm-dd' },
  }
  return { description, anyOf: [form[type], { type: 'null' }] }
}

/** Longer names first: a reader that takes the first one that fits must not take 大杯 for 超大杯. */
function choice(options: Parameter['options']): JsonRecord {
  const names = new Set(options.flatMap(({ label, value }) => [value, label]).filter(name => name !== ''))
  return { type: 'string', enum: [...names].sort((one, other) => other.length - one.length) }
}
