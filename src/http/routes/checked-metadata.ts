import { pointerSegment } from '../../contract/finding.ts'
import { limits } from '../../contract/limits.ts'
import { invalidField } from '../../kernel/app-error.ts'
import type { Metadata, MetadataValue } from '../../knowledge/knowledge-base.ts'

/** Characters, as the schemas count them: a pair of surrogates is one. The length in units is a cheap bound of it. */
const isWithin = (text: string, most: number): boolean =>
  text.length <= most || (text.length <= most * 2 && [...text].length <= most)

const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

export const isMetadataValue = (value: unknown): value is MetadataValue =>
  typeof value === 'boolean' ||
  // JSON may say 1e400, which no database can hold.
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && isWithin(value, limits.metadataValueLength) && isText(value))

export const valueWords = `a text of at most ${limits.metadataValueLength} characters, a number or a boolean`

/** A key is plain data, but `__proto__` is a trap for whatever program reads it next. */
export function checkKey(key: string, pointer: string): void {
  if (key === '' || !isWithin(key, limits.metadataKeyLength) || !isText(key) || key === '__proto__')
    throw invalidField(
      pointer,
      `has a key that cannot be used; a key is a text of 1 to ${limits.metadataKeyLength} characters`,
    )
}

/** Metadata as a client sent it, found to be what can be stored and filtered by. */
export function checkedMetadata(sent: Record<string, unknown>): Metadata {
  const entries = Object.entries(sent)
  if (entries.length > limits.metadataKeys)
    throw invalidField('/metadata', `must have at most ${limits.metadataKeys} keys`)
  if (entries.flatMap(([, value]) => value).length > limits.metadataValues)
    throw invalidField(
      '/metadata',
      `must have at most ${limits.metadataValues} values, those in lists included`,
    )
  for (const [key, value] of entries) {
    checkKey(key, '/metadata')
    const pointer = `/metadata/${pointerSegment(key)}`
    if (!Array.isArray(value)) {
      if (!isMetadataValue(value)) throw invalidField(pointer, `must be ${valueWords}, or a list of these`)
      continue
    }
    if (value.length > limits.metadataListItems)
      throw invalidField(pointer, `must have at most ${limits.metadataListItems} items`)
    const wrong = value.findIndex(item => !isMetadataValue(item))
    if (wrong !== -1) throw invalidField(`${pointer}/${wrong}`, `must be ${valueWords}`)
  }
  return sent as Metadata
}
