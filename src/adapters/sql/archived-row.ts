import type { Row } from '../../backup/table-archive.ts'
import type { Database } from '../../database/database.ts'
import type { SqlValue } from '../../database/sql.ts'
import { vectorParameter } from './vector-value.ts'

/** How a column is written into an archive: bytes and vectors as base64, so that both databases can read them. */
export interface Column {
  name: string
  kind: 'plain' | 'bytes' | 'vector'
}

export type StoredRow = Record<string, SqlValue>

/** By the name of the type in either database. */
export const kinds: Record<string, Column['kind']> = { blob: 'bytes', bytea: 'bytes', vector: 'vector' }

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

/** PostgreSQL shows a vector as the text `[0.1,0.2]`. */
const floatsOf = (text: string): Float32Array => Float32Array.from(JSON.parse(text) as number[])

function archived(kind: Column['kind'], value: SqlValue | undefined): string | number | null {
  if (value instanceof Uint8Array) return base64(value)
  if (kind === 'vector' && typeof value === 'string') {
    const floats = floatsOf(value)
    return base64(new Uint8Array(floats.buffer))
  }
  return value as string | number | null
}

export const archivedRow = (columns: Column[], row: StoredRow): Row =>
  Object.fromEntries(columns.map(({ name, kind }) => [name, archived(kind, row[name])]))

/** The way back. */
export const storedValues = (
  dialect: Database['dialect'],
  columns: Column[],
  values: (string | number | null)[],
): SqlValue[] =>
  values.map((value, index) => {
    const { kind } = columns[index]!
    if (kind === 'plain' || typeof value !== 'string') return value
    const bytes = Uint8Array.from(Buffer.from(value, 'base64'))
    return kind === 'bytes' ? bytes : vectorParameter(dialect, new Float32Array(bytes.buffer))
  })
