import type { InputVariable } from '../../../../src/contract/input-variable.ts'

export type { InputVariable }

export interface ChosenFile {
  key: number
  name: string
  /** Undefined until it is uploaded. */
  fileId: string | undefined
  isFailed: boolean
}

/** The entry of a variable in a form: a text, a check mark or files. */
export type Entry = string | boolean | readonly ChosenFile[]

/** Why an entry cannot be sent. */
export type Problem = 'required' | 'number' | 'json' | 'long' | 'uploading' | 'failed'

export const isFileType = ({ type }: InputVariable): boolean => type === 'file' || type === 'files'

/** The server's limit of files. */
const maxFiles = 20

export const maxFilesOf = ({ type, max_length }: InputVariable): number =>
  type === 'file' ? 1 : (max_length ?? maxFiles)

/** The entry of a variable before it is filled in: its default. */
export function initialEntry(variable: InputVariable): Entry {
  const { type, default: preset } = variable
  if (isFileType(variable)) return []
  if (type === 'checkbox') return String(preset) === 'true' || preset === 1
  if (preset === null || preset === undefined) return ''
  return typeof preset === 'string' ? preset : JSON.stringify(preset, null, type === 'json' ? 2 : 0)
}

/** The value of an entry, which is absent if nothing was filled in, or why it cannot be sent. */
export function readEntry(variable: InputVariable, entry: Entry): { value?: unknown } | { problem: Problem } {
  const { type, required, max_length } = variable
  if (typeof entry === 'boolean') return { value: entry }
  if (typeof entry !== 'string') return readFiles(variable, entry)
  if (entry.trim() === '') return required ? { problem: 'required' } : {}
  if (type === 'number') {
    const number = Number(entry)
    return Number.isFinite(number) ? { value: number } : { problem: 'number' }
  }
  if (type === 'json') {
    try {
      return { value: JSON.parse(entry) as unknown }
    } catch {
      return { problem: 'json' }
    }
  }
  return max_length !== null && [...entry].length > max_length ? { problem: 'long' } : { value: entry }
}

function readFiles(
  { type, required }: InputVariable,
  files: readonly ChosenFile[],
): { value?: unknown } | { problem: Problem } {
  if (files.length === 0) return required ? { problem: 'required' } : {}
  if (files.some(({ isFailed }) => isFailed)) return { problem: 'failed' }
  const ids = files.map(({ fileId }) => fileId)
  if (ids.includes(undefined)) return { problem: 'uploading' }
  return { value: type === 'file' ? ids[0] : ids }
}

/** Variables from the data of an input node, which may be unfinished: variables that cannot be shown are left out. */
export function variablesIn(data: Readonly<Record<string, unknown>>): InputVariable[] {
  const declared = data['variables']
  const variables = new Map<string, InputVariable>()
  for (const each of Array.isArray(declared) ? (declared as unknown[]) : []) {
    const record = (typeof each === 'object' && each !== null ? each : {}) as Record<string, unknown>
    const text = (key: string): string => (typeof record[key] === 'string' ? record[key] : '')
    const name = text('name')
    if (name === '' || variables.has(name)) continue
    const options = Array.isArray(record['options']) ? record['options'].filter(isText) : []
    variables.set(name, {
      ...{ name, options, label: text('label') || name, description: text('description') },
      type: types.find(type => type === record['type']) ?? 'text',
      required: record['required'] === true,
      default: record['default'] ?? null,
      max_length: typeof record['max_length'] === 'number' ? record['max_length'] : null,
    })
  }
  return [...variables.values()]
}

const isText = (value: unknown): value is string => typeof value === 'string'

// The contract has the same list, but only its types reach the browser.
const types: readonly InputVariable['type'][] = [
  ...(['text', 'paragraph', 'number', 'select'] as const),
  ...(['checkbox', 'file', 'files', 'json'] as const),
]
