import { isJsonRecord, type JsonRecord, ownValue } from '../workflow/node-kind.ts'

/** Inputs of another workflow in which `files` holds nothing but files: everyone there relies on it. */
export function withGivenFiles(inputs: JsonRecord): JsonRecord {
  const files = ownValue(inputs, 'files')
  return Array.isArray(files) ? { ...inputs, files: files.filter(isFile) } : inputs
}

const isFile = (value: unknown): boolean =>
  isJsonRecord(value) && typeof ownValue(value, 'file_id') === 'string'
