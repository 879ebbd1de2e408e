import { list, sql } from '../database/sql.ts'
import { insertRows, Store } from '../database/store.ts'
import { embeddings } from './knowledge-tables.ts'

/** The time of use is updated only this often, so that lookups do not become writes. */
const touchMilliseconds = 24 * 3_600_000

const columns = embeddings.columns('hash', 'vector', 'usedAt')

/** Vectors by the hash of their text, so that processing a text again does not embed it again. */
export class EmbeddingCache extends Store {
  async find(
    workspaceId: string,
    model: string,
    hashes: string[],
    now: number,
  ): Promise<Map<string, Float32Array>> {
    if (hashes.length === 0) return new Map()
    const key = embeddings.where({ workspaceId, model })
    const rows = await this.database.all(
      sql`SELECT ${columns} FROM embeddings WHERE ${key} AND hash IN ${list(hashes)}`,
    )
    const old = rows.filter(({ usedAt }) => usedAt < now - touchMilliseconds).map(({ hash }) => hash)
    if (old.length > 0)
      // Rows are locked in hash order, here and in `keep`, so that two transactions cannot deadlock.
      await this.run(sql`
        UPDATE embeddings SET used_at = ${now} WHERE ${key} AND hash IN (
          SELECT hash FROM embeddings WHERE ${key} AND hash IN ${list(old)} ORDER BY hash
          ${this.database.forUpdate})`)
    return new Map(rows.map(({ hash, vector }) => [hash, vector]))
  }

  async keep(workspaceId: string, model: string, vectors: Map<string, Float32Array>, now: number) {
    const sorted = [...vectors].sort(([left], [right]) => (left < right ? -1 : 1))
    const rows = sorted.map(([hash, vector]) => ({ workspaceId, model, hash, vector, usedAt: now }))
    const upsertAll = (some: typeof rows) => sql`
      ${embeddings.insertAll(some)} ON CONFLICT (workspace_id, model, hash)
      DO UPDATE SET vector = excluded.vector, used_at = excluded.used_at`
    await this.database.transaction(transaction => insertRows(transaction, { insertAll: upsertAll }, rows))
  }

  forget(usedBefore: number): Promise<boolean> {
    return this.deleteUnused(embeddings, usedBefore)
  }
}
