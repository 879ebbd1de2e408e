import type { Readable } from 'node:stream'
import { limits } from '../contract/limits.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import type { BlobStore, WrittenBlob } from './blob-store.ts'
import { detectMimeType } from './detect-mime-type.ts'
import type { FileRecord, FileStore, LocatedFile, RemovedFiles } from './file-store.ts'
import { verifiedContent } from './verified-content.ts'

const sweepBatch = 500

export class FileService {
  readonly store: FileStore
  readonly blobs: BlobStore
  readonly #clock: Clock
  readonly maxBytes: number

  constructor(store: FileStore, blobs: BlobStore, clock: Clock, maxBytes: number) {
    this.store = store
    this.blobs = blobs
    this.#clock = clock
    this.maxBytes = maxBytes
  }

  /** Stores the content. Until `add` it belongs to no file, and is swept if `add` never follows. */
  receive(source: AsyncIterable<Uint8Array>): Promise<WrittenBlob> {
    return this.blobs.write(source, this.maxBytes)
  }

  /** `userId` is the user whose token uploads it. */
  async add(workspaceId: string, name: string, blob: WrittenBlob, userId = ''): Promise<FileRecord> {
    const file: LocatedFile = {
      id: mintId('file'),
      name,
      size: blob.size,
      mimeType: await detectMimeType(blob.head, name),
      sha256: blob.sha256,
      createdAt: this.#clock.now(),
      userId,
      blobKey: blob.key,
    }
    const { blobKey } = await this.store.add(workspaceId, file)
    if (blobKey !== blob.key) await this.blobs.remove(blob.key)
    return file
  }

  async find(workspaceId: string, id: string): Promise<LocatedFile> {
    const file = await this.store.find(workspaceId, id)
    if (!file) throw new AppError('not_found', 'The file does not exist')
    return file
  }

  /** The whole content is verified against its checksum while it is read; a range cannot be. */
  async read(file: LocatedFile, range?: { start: number; end: number }): Promise<Readable> {
    const stream = await this.blobs.read(file.blobKey, range)
    return range ? stream : verifiedContent(stream, file.sha256, file.size)
  }

  /** With a user, only files of this user exist. */
  async info(
    workspaceId: string,
    ids: string[],
    userId?: string,
  ): Promise<{ items: FileRecord[]; missing: string[] }> {
    const unique = [...new Set(ids)]
    const files = await this.store.findMany(workspaceId, unique)
    const visible = userId === undefined ? files : files.filter(file => file.userId === userId)
    const found = new Map(visible.map(file => [file.id, file]))
    return {
      items: unique.flatMap(id => found.get(id) ?? []),
      missing: unique.filter(id => !found.has(id)),
    }
  }

  async remove(workspaceId: string, ids: string[], force: boolean): Promise<RemovedFiles> {
    const removed = await this.store.remove(workspaceId, ids, force)
    // The rows are deleted already; after a crash the content is swept later.
    await Promise.all(removed.releasedKeys.map(key => this.blobs.remove(key)))
    return removed
  }

  /** Deletes blobs that a crash left without a row. */
  async sweepOrphans(signal: AbortSignal): Promise<void> {
    const oldEnough = this.#clock.now() - limits.orphanBlobMilliseconds
    let batch: string[] = []
    const removeUnknown = async (): Promise<void> => {
      const known = await this.store.knownKeys(batch)
      for (const key of batch) if (!known.has(key)) await this.blobs.remove(key)
      batch = []
    }
    for await (const { key, modifiedAt } of this.blobs.list()) {
      if (signal.aborted) return
      if (modifiedAt < oldEnough) batch.push(key)
      if (batch.length === sweepBatch) await removeUnknown()
    }
    await removeUnknown()
  }
}
