import type { Database } from '../../database/database.ts'
import type { SqlValue } from '../../database/sql.ts'

/** How a vector of length 1 is given to the database: as its 32-bit floats, or as the text pgvector reads. */
export function vectorParameter(dialect: Database['dialect'], vector: Float32Array): SqlValue {
  if (dialect === 'postgres') return `[${vector.join(',')}]`
  // A copy: the floats may lie within a larger buffer, and the database may read them later.
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength).slice()
}

/** Stands for that parameter in a statement. */
export const vectorMark = (dialect: Database['dialect']): string =>
  dialect === 'postgres' ? '?::vector' : '?'
