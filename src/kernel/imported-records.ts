import { limits } from '../contract/limits.ts'
import { invalidField } from './app-error.ts'
import { parseCsv } from './csv.ts'
import { isRecord } from './is-record.ts'
import { hasLostDigits } from './parse-in-pieces.ts'

export interface ImportedRecord {
  /** Line number in the text, for error messages. */
  line: number
  fields: Record<string, unknown>
}

/** A line that is not a JSON object has no fields. */
type ImportedLine = Omit<ImportedRecord, 'fields'> & Partial<ImportedRecord>

/** Refuses more records before they are read: a text of a megabyte can have half a million. */
export function takeRecords<Row>(records: Iterable<Row>, max: number): Row[] {
  const taken: Row[] = []
  for (const record of records) {
    if (taken.length === max) throw invalidField('/content', `has more than ${max} records; import less`)
    taken.push(record)
  }
  return taken
}

export function importedLines(format: 'csv' | 'jsonl', content: string, max: number): ImportedLine[] {
  const lines = takeRecords<ImportedLine>(format === 'csv' ? csvRecords(content) : jsonLines(content), max)
  if (lines.length === 0) throw invalidField('/content', 'has no records')
  return lines
}

/** Records of CSV with a header, or of JSON lines. Errors name the line. */
export const importedRecords = (format: 'csv' | 'jsonl', content: string, max: number): ImportedRecord[] =>
  importedLines(format, content, max).map(({ line, fields }) => {
    if (!fields) throw invalidField('/content', `line ${line} is not a JSON object`)
    return { line, fields }
  })

function* csvRecords(content: string): Generator<ImportedRecord> {
  let columns: { name: string; at: number }[] | undefined
  for (const { line, cells } of parseCsv(content)) {
    if (!columns) {
      columns = cells.map((cell, at) => ({ name: cell.trim(), at })).filter(({ name }) => name !== '')
      // Every record has all columns, so that thousands of them in a short header would take gigabytes.
      if (columns.length > limits.importColumns)
        throw invalidField('/content', `has more than ${limits.importColumns} columns; import less`)
      continue
    }
    yield { line, fields: Object.fromEntries(columns.map(({ name, at }) => [name, cells[at] ?? ''])) }
  }
}

/**
 * Escapes can produce characters that no database stores: NUL and lone surrogates. An integer that would lose digits
 * becomes a text, as in `parseKeepingDigits`.
 */
function storable(key: string, value: unknown, context?: { source?: string }): unknown {
  const texts = typeof value === 'string' ? [key, value] : [key]
  if (texts.some(each => each.includes('\0') || !each.isWellFormed())) throw new SyntaxError('not storable')
  return typeof value === 'number' && hasLostDigits(value, context?.source) ? context!.source : value
}

function* jsonLines(content: string): Generator<ImportedLine> {
  for (const [index, text] of content
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (text.trim() === '') continue
    const line = index + 1
    let fields: unknown
    try {
      fields = JSON.parse(text, storable)
    } catch {
      fields = undefined
    }
    yield isRecord(fields) ? { line, fields } : { line }
  }
}
