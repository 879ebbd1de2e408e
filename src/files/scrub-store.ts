import { limits } from '../contract/limits.ts'
import { countRows } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import type { RowOf } from '../database/table.ts'
import { blobs, files } from './file-store.ts'
import { installation } from './installation.ts'

const rounds = installation.columns('scrubbedUpTo', 'scrubStartedAt')
const roundMilliseconds = limits.scrubHours * 3_600_000
const columns = blobs.columns()

export type StoredBlob = RowOf<typeof blobs>

/** What the check of stored contents has seen. */
export class ScrubStore extends Store {
  /** The next blobs by key. */
  after(key: string): Promise<StoredBlob[]> {
    return this.database.all(sql`SELECT ${columns} FROM blobs WHERE key > ${key} ORDER BY key LIMIT 50`)
  }

  /** The next blobs of the current round, for this process alone; empty until the next round is due. */
  claim(now: number): Promise<StoredBlob[]> {
    return this.database.transaction(async transaction => {
      const round = await transaction.get(sql`SELECT ${rounds} FROM installation ${this.database.forUpdate}`)
      if (!round || (round.scrubbedUpTo === '' && now - round.scrubStartedAt < roundMilliseconds)) return []
      const scrubStartedAt = round.scrubbedUpTo === '' ? now : round.scrubStartedAt
      const claimed = await transaction.all(
        sql`SELECT ${columns} FROM blobs WHERE key > ${round.scrubbedUpTo} ORDER BY key LIMIT 50`,
      )
      const scrubbedUpTo = claimed.at(-1)?.key ?? ''
      await transaction.run(
        sql`UPDATE installation SET ${installation.set({ scrubbedUpTo, scrubStartedAt })}`,
      )
      return claimed
    })
  }

  /** `undefined`: the content is intact. False when the blob no longer exists. */
  async mark({ key }: StoredBlob, damagedAt: number | undefined): Promise<boolean> {
    const marked = sql`UPDATE blobs SET ${blobs.set({ damagedAt })} WHERE ${blobs.where({ key })}`
    return (await this.run(marked)) > 0
  }

  /** Files with this content. */
  filesWith({ workspaceId, sha256 }: StoredBlob): Promise<{ id: string; name: string }[]> {
    return this.database.all(
      sql`SELECT ${files.columns('id', 'name')} FROM files WHERE ${files.where({ workspaceId, sha256 })} ORDER BY id`,
    )
  }

  countDamaged(): Promise<number> {
    return countRows(this.database, sql`blobs WHERE damaged_at IS NOT NULL`)
  }
}
