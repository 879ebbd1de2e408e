import { limits } from '../contract/limits.ts'
import type { Clock } from '../kernel/clock.ts'
import type { BlobArea, BlobStore } from './blob-store.ts'
import type { FileStore } from './file-store.ts'
import type { Installation } from './installation.ts'

const batchSize = 500

interface OrphanParts {
  files: FileStore
  blobs: BlobStore
  installation: Pick<Installation, 'check'>
  clock: Clock
}

/** What a sweep did, in blobs. */
interface Swept {
  /** Moved to the quarantine, because no row names them. */
  quarantined: number
  /** Moved back, because a row names them. */
  restored: number
  /** Deleted from the quarantine. */
  deleted: number
}

/** Blobs without a row are deleted after a week in the quarantine, unless a row names them again. */
export class OrphanSweep {
  readonly #parts: OrphanParts

  constructor(parts: OrphanParts) {
    this.#parts = parts
  }

  async run(signal: AbortSignal): Promise<Swept> {
    const { blobs, clock, installation } = this.#parts
    // Another server may have adopted the folder since the start.
    await installation.check()
    const now = clock.now()
    const swept: Swept = { quarantined: 0, restored: 0, deleted: 0 }
    for await (const { key, modifiedAt, isKnown } of this.#list('quarantine', signal))
      if (isKnown) {
        await blobs.move(key, 'blobs')
        swept.restored++
      } else if (modifiedAt < now - limits.quarantineMilliseconds) {
        await blobs.remove(key, 'quarantine')
        swept.deleted++
      }
    for await (const { key, modifiedAt, isKnown } of this.#list('blobs', signal))
      if (!isKnown && modifiedAt < now - limits.orphanBlobMilliseconds) {
        await blobs.move(key, 'quarantine')
        swept.quarantined++
      }
    return swept
  }

  async count(area: BlobArea, signal: AbortSignal): Promise<number> {
    let orphans = 0
    for await (const { isKnown } of this.#list(area, signal)) if (!isKnown) orphans++
    return orphans
  }

  /** Blobs without a row that the next sweep moves to the quarantine. */
  async countOld(signal: AbortSignal): Promise<number> {
    const before = this.#parts.clock.now() - limits.orphanBlobMilliseconds
    let orphans = 0
    for await (const { isKnown, modifiedAt } of this.#list('blobs', signal))
      if (!isKnown && modifiedAt < before) orphans++
    return orphans
  }

  async *#list(
    area: BlobArea,
    signal: AbortSignal,
  ): AsyncGenerator<{ key: string; modifiedAt: number; isKnown: boolean }> {
    let batch: { key: string; modifiedAt: number }[] = []
    const withRows = async () => {
      const known = await this.#parts.files.knownKeys(batch.map(({ key }) => key))
      return batch.map(blob => ({ ...blob, isKnown: known.has(blob.key) }))
    }
    for await (const blob of this.#parts.blobs.list(area)) {
      if (signal.aborted) return
      batch.push(blob)
      if (batch.length < batchSize) continue
      yield* await withRows()
      batch = []
    }
    yield* await withRows()
  }
}
