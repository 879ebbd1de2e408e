import { pointerSegment } from '../contract/finding.ts'
import type { InputVariable, VariableType } from '../contract/input-variable.ts'
import { limits } from '../contract/limits.ts'
import { AppError } from '../kernel/app-error.ts'
import { isBlank } from '../kernel/is-blank.ts'
import { exactNumber } from '../kernel/parse-in-pieces.ts'
import { parsedJson } from '../kernel/parsed-json.ts'
import { isJsonRecord, type JsonRecord, ownValue } from './json-record.ts'
import { showNames, showValue } from './show-value.ts'
import type { RunFile } from './step.ts'

type FileType = 'image' | 'document' | 'audio' | 'video' | 'other'

const documentTypes =
  /^(text\/|application\/(pdf|json|xml|rtf|msword|epub\+zip|vnd\.(ms-|openxmlformats-|oasis\.)))/

export function fileType(mimeType: string): FileType {
  const [start] = mimeType.split('/')
  if (start === 'image' || start === 'audio' || start === 'video') return start
  return documentTypes.test(mimeType) ? 'document' : 'other'
}

/** In lower case, with its dot; empty if the name has none. */
export const fileExtension = (name: string): string =>
  /\.[^.\s/\\]{1,20}$/.exec(name)?.[0].toLowerCase() ?? ''

/** A file as the value of a variable. */
export interface VariableFile extends RunFile {
  id: string
  type: FileType
  /** In lower case and with its dot; empty if the name has none. */
  extension: string
  /** Path of the content below the address of the server; reading it requires a token. */
  url: string
}

/** Finds files by their ids; those that do not exist are left out. */
type FindFiles = (ids: string[]) => Promise<readonly VariableFile[]>

interface TypeRule {
  /** Converts the value that was sent to the type of the variable; undefined if it does not fit. Files become their ids. */
  read(sent: unknown, variable: InputVariable): unknown
  /** What a value must be, after "must be". */
  expected(variable: InputVariable): string
  /** The value of an optional variable that has no default and was not sent; absent if there is no such value. */
  empty?: unknown
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const textRule: TypeRule = {
  read: (sent, variable) => {
    if (!isScalar(sent)) return undefined
    const text = String(sent)
    const max = maxLengthOf(variable)
    // Counting characters is slow and only needed where there are more UTF-16 units than allowed characters.
    return text.length <= max || [...text].length <= max ? text : undefined
  },
  expected: variable => `text of at most ${maxLengthOf(variable)} characters`,
  empty: '',
}

/** Every rule also accepts text, because forms, query strings and metadata send all values as text. */
const rules: Readonly<Record<VariableType, TypeRule>> = {
  text: textRule,
  paragraph: textRule,
  number: {
    read: sent => {
      const number = typeof sent === 'string' ? exactNumber(sent) : sent
      return typeof number === 'string' || Number.isFinite(number) ? number : undefined
    },
    expected: () => 'a number',
  },
  select: {
    read: (sent, { options }) =>
      isScalar(sent) && options.includes(String(sent)) ? String(sent) : undefined,
    expected: ({ options }) => `one of ${showNames(options)}`,
    empty: '',
  },
  checkbox: {
    read: sent => (isScalar(sent) ? truths.get(String(sent).trim().toLowerCase()) : undefined),
    expected: () => 'true or false',
    empty: false,
  },
  file: {
    read: fileIdOf,
    expected: () => 'the id of an uploaded file, or an object with `file_id`',
  },
  files: {
    read: (sent, variable) => {
      const ids = (Array.isArray(sent) ? sent : [sent]).map(fileIdOf)
      return ids.length <= maxLengthOf(variable) && !ids.includes(undefined) ? ids : undefined
    },
    expected: variable => `a list of at most ${maxLengthOf(variable)} ids of uploaded files`,
    empty: [],
  },
  json: { read: sent => (typeof sent === 'string' ? parsedJson(sent) : sent), expected: () => 'valid JSON' },
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

function fileIdOf(sent: unknown): string | undefined {
  const id = isJsonRecord(sent) ? (ownValue(sent, 'file_id') ?? ownValue(sent, 'id')) : sent
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** The upper limit of `max_length` for a type; undefined for types without `max_length`. */
export const maxLengthFor = (type: string): number | undefined =>
  type === 'files'
    ? limits.messageFiles
    : type === 'text' || type === 'paragraph'
      ? limits.messageLength
      : undefined

const maxLengthOf = ({ type, max_length }: InputVariable): number => max_length ?? maxLengthFor(type)!

/** The variables of an input node whose fields have the declared types; the first variable of a name wins. */
export function readVariables(data: JsonRecord): InputVariable[] {
  const list = ownValue(data, 'variables')
  const variables = new Map<string, InputVariable>()
  for (const record of Array.isArray(list) ? (list as JsonRecord[]) : []) {
    const variable = readVariable(record)
    if (variable.name !== '' && !variables.has(variable.name)) variables.set(variable.name, variable)
  }
  return [...variables.values()]
}

export function readVariable(record: JsonRecord): InputVariable {
  const text = (key: string): string => (ownValue(record, key) as string | null | undefined) ?? ''
  const type = text('type')
  const name = text('name')
  return {
    name,
    type: Object.hasOwn(rules, type) ? (type as VariableType) : 'text',
    label: text('label') || name,
    description: text('description'),
    required: ownValue(record, 'required') === true,
    default: ownValue(record, 'default') ?? null,
    options: (ownValue(record, 'options') as string[] | null | undefined) ?? [],
    max_length: (ownValue(record, 'max_length') as number | null | undefined) ?? null,
  }
}

/** Whether no value was given; an empty text counts as none, because forms send it for a field without a value. */
export const isMissing = ({ type }: InputVariable, value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && isBlank(value)) ||
  (type === 'files' && Array.isArray(value) && value.length === 0)

/** Why a value that was sent does not fit its variable; undefined if it fits. */
export function problemOf(variable: InputVariable, sent: unknown): string | undefined {
  if (isMissing(variable, sent)) return undefined
  const { read, expected } = rules[variable.type]
  if (read(sent, variable) !== undefined) return undefined
  return `must be ${expected(variable)}, but is ${showValue(sent)}`
}

type Refuse = (variable: InputVariable, message: string) => void

/** Converts inputs to the types of their variables, with defaults and files; others stay as they are. */
export async function resolveVariables(
  variables: readonly InputVariable[],
  sent: JsonRecord,
  findFiles: FindFiles,
): Promise<Record<string, unknown>> {
  const refused = new Map<string, string>()
  const refuse: Refuse = ({ name }, message) => void refused.set(name, message)
  const values = new Map<string, unknown>(Object.entries(sent))
  for (const variable of variables) {
    const { name } = variable
    const own = ownValue(sent, name)
    const given = isMissing(variable, own) ? variable.default : own
    const problem = problemOf(variable, given)
    if (problem !== undefined) refuse(variable, problem)
    const { read, empty } = rules[variable.type]
    const isGiven = !isMissing(variable, given)
    if (!isGiven && variable.required) refuse(variable, 'is required')
    const value = isGiven ? read(given, variable) : empty
    if (value === undefined) values.delete(name)
    else values.set(name, value)
  }
  await insertFiles(variables, values, findFiles, refuse)
  if (refused.size > 0) throw refusal([...refused])
  return Object.fromEntries(values)
}

function refusal(refused: [name: string, message: string][]): AppError {
  const errors = refused.map(([name, message]) => ({ path: `/inputs/${pointerSegment(name)}`, message }))
  const [name, message] = refused[0]!
  return new AppError('invalid_request', `inputs.${name} ${message}`, { errors })
}

async function insertFiles(
  variables: readonly InputVariable[],
  values: Map<string, unknown>,
  findFiles: FindFiles,
  refuse: Refuse,
): Promise<void> {
  const sent = variables.filter(({ type, name }) => (type === 'file' || type === 'files') && values.has(name))
  const idsOf = ({ name }: InputVariable): string[] => [values.get(name)].flat() as string[]
  const ids = sent.flatMap(idsOf)
  if (ids.length === 0) return
  const found = new Map((await findFiles(ids)).map(file => [file.id, file]))
  for (const variable of sent) {
    const missing = idsOf(variable).find(id => !found.has(id))
    if (missing !== undefined)
      refuse(variable, `refers to a file that does not exist: ${showValue(missing)}; upload the file first`)
    const files = idsOf(variable).map(id => found.get(id))
    values.set(variable.name, variable.type === 'file' ? files[0] : files)
  }
}
