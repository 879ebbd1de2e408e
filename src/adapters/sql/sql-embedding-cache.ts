import type { Database } from '../../database/database.ts'
import { marks } from '../../database/sql.ts'
import type { EmbeddingCache } from '../../knowledge/embedding-cache.ts'

const most = 256
const forgetRows = 500
/** The time of use is written down only this often: a search for it must not become a write each time. */
const touchMilliseconds = 24 * 3_600_000

const bytesOf = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)

/** Copied, since bytes from a driver may begin anywhere and floats may not. */
const vectorOf = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer)

export class SqlEmbeddingCache implements EmbeddingCache {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async find(
    workspaceId: string,
    model: string,
    hashes: string[],
    now: number,
  ): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>()
    const old: string[] = []
    for (let start = 0; start < hashes.length; start += most) {
      const some = hashes.slice(start, start + most)
      const rows = await this.#database.all<{ hash: string; vector: Uint8Array; used_at: number }>(
        `SELECT hash, vector, used_at FROM embeddings WHERE workspace_id = ? AND model = ? AND hash IN (${marks(some.length)})`,
        workspaceId,
        model,
        ...some,
      )
      for (const row of rows) {
        found.set(row.hash, vectorOf(row.vector))
        if (row.used_at < now - touchMilliseconds) old.push(row.hash)
      }
    }
    if (old.length > 0)
      await this.#database.transaction(async transaction => {
        for (const hash of old.sort())
          await transaction.run(
            'UPDATE embeddings SET used_at = ? WHERE workspace_id = ? AND model = ? AND hash = ?',
            now,
            workspaceId,
            model,
            hash,
          )
      })
    return found
  }

  async keep(
    workspaceId: string,
    model: string,
    vectors: Map<string, Float32Array>,
    now: number,
  ): Promise<void> {
    await this.#database.transaction(async transaction => {
      // In one order everywhere, so that two of them cannot wait for each other.
      for (const [hash, vector] of [...vectors].sort(([left], [right]) => (left < right ? -1 : 1)))
        await transaction.run(
          `INSERT INTO embeddings (workspace_id, model, hash, vector, used_at) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (workspace_id, model, hash) DO UPDATE SET vector = excluded.vector, used_at = excluded.used_at`,
          workspaceId,
          model,
          hash,
          bytesOf(vector),
          now,
        )
    })
  }

  forget(usedBefore: number): Promise<boolean> {
    const { rowName } = this.#database
    return this.#database.transaction(
      async transaction =>
        (await transaction.run(
          `DELETE FROM embeddings WHERE ${rowName} IN (SELECT ${rowName} FROM embeddings WHERE used_at < ? LIMIT ${forgetRows})`,
          usedBefore,
        )) > 0,
    )
  }
}
