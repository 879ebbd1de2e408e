import { fileExtension, fileType } from '../workflow/input-variables.ts'
import { ownValue, valueInside } from '../workflow/json-record.ts'

type Path = readonly string[]

/** A longer text is one key: splitting megabytes at their dots would take long, and nothing has such a path. */
const maxPathLength = 2000

/** The keys of a dotted path; empty for the value itself. */
export function pathOf(text: string): Path {
  const path = text.trim()
  return path === '' ? [] : path.length > maxPathLength ? [path] : path.split('.')
}

export const valueAt = (value: unknown, path: Path): unknown =>
  valueInside(value, path, (record, key) => ownValue(record, key) ?? fileProperty(record, key))

/** The value at a path; of a list, the value of each element. */
export const valuesAt = (value: unknown, path: Path): unknown =>
  Array.isArray(value) && path.length > 0 ? value.map(each => valueAt(each, path)) : valueAt(value, path)

/** The derived fields of a file: its type and its extension. */
function fileProperty(file: Readonly<Record<string, unknown>>, name: string): unknown {
  const mimeType = ownValue(file, 'mime_type')
  if (typeof mimeType !== 'string') return undefined
  if (name === 'extension') return fileExtension(String(ownValue(file, 'name'))) || undefined
  return name === 'type' ? fileType(mimeType) : undefined
}
