import type { ImportNote } from '../../../contract/import-notes.ts'
import { limits } from '../../../contract/limits.ts'
import type { JsonRecord } from '../../../workflow/json-record.ts'
import type { DifyNode } from '../app.ts'
import type { Conversion } from '../conversion.ts'
import { asText, flagAt, numberAt, recordsAt, setMembers, textAt, textsAt, valueAt } from '../read.ts'

type TakeNote = (code: ImportNote['code'], values: ImportNote['values']) => void

/** Types of a field of the form, and ours. */
const types: Readonly<Record<string, string>> = {
  'text-input': 'text',
  paragraph: 'paragraph',
  number: 'number',
  select: 'select',
  checkbox: 'checkbox',
  file: 'file',
  'file-list': 'files',
  json: 'json',
  json_object: 'json',
  url: 'text',
}

/** Outputs that every input node has. */
const takenNames = new Set(['query', 'text', 'result', 'files', 'inputs'])

/** Parts of a file that have another name here; the others are called the same. */
const filePart: ReadonlyMap<string, string> = new Map([['related_id', 'id']])

/** The message is the variable "query" of a workflow without a conversation. */
export const isMessage = ({ app }: Conversion, name: string): boolean =>
  name === 'query' && app.mode === 'workflow'

/** The name of a variable here. */
export const variableName = (name: string): string => {
  const safe = name.replace(/[^\p{L}\p{N}_-]/gu, '_').slice(0, 100)
  return takenNames.has(safe) ? `${safe}_` : safe
}

const namesOf = new WeakMap<JsonRecord, ReadonlySet<string>>()

/** The declared names, read only once because a file may have thousands of references. */
function declaredNames(data: JsonRecord): ReadonlySet<string> {
  const names =
    namesOf.get(data) ?? new Set(recordsAt(data, 'variables').map(each => textAt(each, 'variable')))
  namesOf.set(data, names)
  return names
}

export function startVariable(
  conversion: Conversion,
  { data }: DifyNode,
  [name = '', part, ...rest]: readonly string[],
): readonly string[] | undefined {
  if (isMessage(conversion, name)) return ['query']
  if (!declaredNames(data).has(name)) return undefined
  return [variableName(name), ...(part === undefined ? [] : [filePart.get(part) ?? part]), ...rest]
}

/** `variables` of an input node, from a form of Dify. */
export function inputVariables(form: readonly JsonRecord[], note: TakeNote): JsonRecord {
  const variables = form.map(each => inputVariable(each, note))
  return variables.length > 0 ? { variables } : {}
}

function inputVariable(field: JsonRecord, note: TakeNote): JsonRecord {
  const name = textAt(field, 'variable')
  const type = typeOf(field, note)
  const isFile = type === 'file' || type === 'files'
  if (variableName(name) !== name) note('variable_renamed', { variable: name, name: variableName(name) })
  const kinds = textsAt(field, 'allowed_file_types')
  if (kinds.length > 0 && isFile) note('any_file', { variable: name, types: kinds.join(', ') })
  const given = isFile ? undefined : defaultOf(field, type)
  const isPossible = given === undefined || isDefault(field, type, given)
  if (!isPossible) note('default_left_out', { variable: name })
  return setMembers({
    name: variableName(name),
    type,
    label: textAt(field, 'label'),
    required: flagAt(field, 'required'),
    default: isPossible ? given : undefined,
    options: type === 'select' ? optionsOf(field) : undefined,
    max_length: maxLengthOf(field, type),
    description: textAt(field, 'hint'),
  })
}

function typeOf(field: JsonRecord, note: TakeNote): string {
  const given = textAt(field, 'type')
  const type = Object.hasOwn(types, given) ? types[given]! : 'text'
  const isChoice = type !== 'select' || optionsOf(field).length > 0
  if (Object.hasOwn(types, given) && isChoice) return type
  note('variable_is_text', { variable: textAt(field, 'variable'), type: given })
  return 'text'
}

const optionsOf = (field: JsonRecord): string[] => [...new Set(textsAt(field, 'options'))]

function maxLengthOf(field: JsonRecord, type: string): number | undefined {
  const given = numberAt(field, 'max_length')
  const max = { text: limits.messageLength, paragraph: limits.messageLength, files: limits.messageFiles }[
    type
  ]
  return given === undefined || max === undefined || given < 1 ? undefined : Math.min(Math.round(given), max)
}

function isDefault(field: JsonRecord, type: string, value: unknown): boolean {
  if (type === 'select') return optionsOf(field).includes(asText(value))
  const length = maxLengthOf(field, type) ?? Number.POSITIVE_INFINITY
  return type === 'number' || type === 'checkbox' || asText(value).length <= length
}

function defaultOf(field: JsonRecord, type: string): unknown {
  const value = valueAt(field, 'default')
  if (value === undefined || value === null || value === '') return undefined
  if (type === 'number') return numberAt(field, 'default')
  return type === 'checkbox' ? flagAt(field, 'default') : value
}
