import type { Static } from 'typebox'
import { array, boolean, choice, named, orNull, string } from './fields.ts'
import { Type } from './schema.ts'

export const variableTypes = [
  'text',
  'paragraph',
  'number',
  'select',
  'checkbox',
  'file',
  'files',
  'json',
] as const
export type VariableType = (typeof variableTypes)[number]

/** A value that the input node of a workflow asks for. */
const inputVariable = named(
  'InputVariable',
  Type.Object({
    name: string('Its name in `inputs`.', 'city'),
    type: choice(variableTypes, 'Type of its value.', { example: 'select' }),
    label: string('Label in a form; the name if none is set.', 'City'),
    description: string('Help text; may be empty.', 'Where you are.'),
    required: boolean('Whether a run is refused without a value.', true),
    default: Type.Unknown({
      description: 'Default value; null: none.',
      examples: [null],
    }),
    options: array(Type.String(), 'The values of a select.', { example: ['Paris', 'Rome'] }),
    max_length: orNull(
      Type.Integer(),
      'Maximum number of characters of a text or paragraph, or of files; null: the limit of the server.',
    ),
  }),
)
export type InputVariable = Static<typeof inputVariable>

export const variablesField = array(inputVariable, 'The input variables, in the order of the form.')
export const variablesData = Type.Object({ variables: variablesField })
