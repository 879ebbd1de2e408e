import { sql } from '../../../database/sql.ts'
import { Store } from '../../../database/store.ts'
import { recognisedTexts } from '../../knowledge-tables.ts'

/** The time of use is updated only this often, so that lookups do not become writes. */
const touchMilliseconds = 24 * 3_600_000

const columns = recognisedTexts.columns('content', 'usedAt')

interface TextKey {
  workspaceId: string
  recogniser: string
  /** The hash of the image or the recording. */
  hash: string
}

/** Texts of page images and recordings, so that a page is not recognised, and paid for, twice. */
export class RecognitionCache extends Store {
  async find({ workspaceId, recogniser, hash }: TextKey, now: number): Promise<string | undefined> {
    const key = recognisedTexts.where({ workspaceId, recogniser, hash })
    const row = await this.database.get(recognisedTexts.select(columns, key))
    if (row && row.usedAt < now - touchMilliseconds)
      await this.run(sql`UPDATE recognised_texts SET used_at = ${now} WHERE ${key}`)
    return row?.content
  }

  async keep({ workspaceId, recogniser, hash }: TextKey, content: string, now: number): Promise<void> {
    await this.run(sql`
      ${recognisedTexts.insert({ workspaceId, recogniser, hash, content, usedAt: now })}
      ON CONFLICT (workspace_id, recogniser, hash)
      DO UPDATE SET content = excluded.content, used_at = excluded.used_at`)
  }

  forget(usedBefore: number): Promise<boolean> {
    return this.deleteUnused(recognisedTexts, usedBefore)
  }
}
