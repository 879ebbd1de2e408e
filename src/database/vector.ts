import type { Database } from './database.ts'
import type { SqlValue } from './sql.ts'

/** A normalised vector as a parameter: its 32-bit floats, or the text form of pgvector. */
export function vectorParameter(dialect: Database['dialect'], vector: Float32Array): SqlValue {
  if (dialect === 'postgres') return `[${vector.join(',')}]`
  // A copy: the floats may be part of a larger buffer, and the database may read them later.
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength).slice()
}

/** The placeholder of that parameter in a statement. */
export const vectorMark = (dialect: Database['dialect']): string =>
  dialect === 'postgres' ? '?::vector' : '?'
