import { limits } from '../contract/limits.ts'
import { countRows } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import type { RowOf } from '../database/table.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { pause } from '../kernel/pause.ts'
import { retryTemporary } from '../kernel/retry-temporary.ts'
import type { BlobStore } from './blob-store.ts'
import { blobs, files } from './file-store.ts'
import { installation } from './installation.ts'
import { verifyBlob } from './verified-blobs.ts'

const rounds = installation.columns('scrubbedUpTo', 'scrubStartedAt')
const roundMilliseconds = limits.scrubHours * 3_600_000
const columns = blobs.columns()

export type StoredBlob = RowOf<typeof blobs>

/** The progress and the findings of the check of stored contents. */
export class ScrubStore extends Store {
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
    const marked = blobs.update({ key }, { damagedAt })
    return (await this.run(marked)) > 0
  }

  filesWith({ workspaceId, sha256 }: StoredBlob): Promise<{ id: string; name: string }[]> {
    return this.database.all(
      sql`SELECT ${files.columns('id', 'name')} FROM files WHERE ${files.where({ workspaceId, sha256 })} ORDER BY id`,
    )
  }

  countDamaged(): Promise<number> {
    return countRows(this.database, sql`blobs WHERE damaged_at IS NOT NULL`)
  }
}

export interface DamagedBlob {
  problem: 'damaged' | 'missing'
  workspaceId: string
  key: string
  sha256: string
  files: { id: string; name: string }[]
}

const pauseMilliseconds = 50
/** Opening and closing a small file costs about as much as reading this many bytes. */
const bytesPerFile = 16 << 10

/** Sleeps so that no more than `limits.scrubBytes` are read per second. */
function createPace(signal: AbortSignal): (bytes: number) => Promise<void> {
  let debt = 0
  return async bytes => {
    debt += (bytes / limits.scrubBytes) * 1000
    if (debt < pauseMilliseconds || signal.aborted) return
    await pause(debt, signal)
    debt = 0
  }
}

/** Compares stored contents with their checksums, and records which are damaged. */
export class Scrubber {
  readonly #store: ScrubStore
  readonly #blobs: Pick<BlobStore, 'read' | 'tagOf'>
  readonly #clock: Clock

  constructor(store: ScrubStore, blobs: Pick<BlobStore, 'read' | 'tagOf'>, clock: Clock) {
    this.#store = store
    this.#blobs = blobs
    this.#clock = clock
  }

  /** Checks every content now, as fast as it can be read. */
  async *all(signal: AbortSignal): AsyncGenerator<DamagedBlob | StoredBlob> {
    for (let after = ''; ; ) {
      const batch = await this.#store.after(after)
      if (batch.length === 0) return
      for (const blob of batch) {
        signal.throwIfAborted()
        yield (await this.#check(blob)) ?? blob
      }
      after = batch.at(-1)!.key
    }
  }

  /** Continues the current round of all processes slowly, until it is complete. */
  async *slowly(signal: AbortSignal): AsyncGenerator<DamagedBlob> {
    const pace = createPace(signal)
    for (;;) {
      const batch = await this.#store.claim(this.#clock.now())
      if (batch.length === 0) return
      for (const blob of batch) {
        if (signal.aborted) return
        // A file store that is unreachable says nothing about its contents.
        const damaged = await retryTemporary(() => this.#check(blob, pace), {
          giveUpMilliseconds: Number.POSITIVE_INFINITY,
          failed: () => !signal.aborted,
        })
        if (damaged) yield damaged
        await pace(bytesPerFile)
      }
    }
  }

  async #check(blob: StoredBlob, pace?: (bytes: number) => Promise<void>): Promise<DamagedBlob | undefined> {
    const isIntact = await verifyBlob(this.#blobs, blob, pace).then(
      () => true,
      (error: unknown) => {
        if (error instanceof AppError && error.reason === 'content_damaged') return false
        throw error
      },
    )
    if (isIntact) {
      if (blob.damagedAt !== undefined) await this.#store.mark(blob, undefined)
      return undefined
    }
    // A file that was deleted in the meantime is not damaged.
    if (!(await this.#store.mark(blob, this.#clock.now()))) return undefined
    const problem = (await this.#blobs.tagOf(blob.key)) === undefined ? 'missing' : 'damaged'
    const { workspaceId, key, sha256 } = blob
    return { problem, workspaceId, key, sha256, files: await this.#store.filesWith(blob) }
  }
}
