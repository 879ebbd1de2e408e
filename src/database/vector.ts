import type { Database } from './database.ts'
import type { SqlValue } from './sql.ts'

/**
 * A normalised vector as a parameter: its 32-bit floats, or the binary form of pgvector, whose parameter has the type
 * `vector`. The text form of pgvector is five times as long, and takes longer to write than everything else about a
 * chunk.
 */
export function vectorParameter(dialect: Database['dialect'], vector: Float32Array): SqlValue {
  const floats = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
  // A copy: the floats may be part of a larger buffer, and the database may read them later.
  if (dialect === 'sqlite') return floats.slice()
  const bytes = Buffer.alloc(4 + floats.length)
  bytes.writeUInt16BE(vector.length, 0)
  bytes.set(floats, 4)
  bytes.subarray(4).swap32()
  return bytes
}

/** The placeholder of that parameter in a statement. */
export const vectorMark = (dialect: Database['dialect']): string =>
  dialect === 'postgres' ? '?::vector' : '?'

/** A stored vector: its bytes in SQLite, the text of pgvector in PostgreSQL. */
export function vectorOf(stored: SqlValue): Float32Array {
  if (typeof stored === 'string') return Float32Array.from(JSON.parse(stored) as number[])
  const bytes = (stored as Uint8Array).slice()
  return new Float32Array(bytes.buffer, 0, bytes.length >> 2)
}
