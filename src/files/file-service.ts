import type { Readable } from 'node:stream'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import { isTemporary } from '../kernel/retry-temporary.ts'
import type { BlobStore, WrittenBlob } from './blob-store.ts'
import { detectMimeType } from './detect-mime-type.ts'
import type { FileRecord, FileStore, LocatedFile, RemovedFiles } from './file-store.ts'
import { loadVerified, VerifiedBlobs, verifiedContent } from './verified-blobs.ts'

interface NamedBlob {
  name: string
  blob: WrittenBlob
}

/** No transaction waits for the file store, so its contents follow the rows afterwards. */
interface UnitHooks {
  /** Runs the action once the writes are committed: now, unless a unit of work is open. */
  whenCommitted(action: () => Promise<void>): Promise<void>
  /** Runs the action if the open unit of work fails. */
  whenRolledBack(action: () => Promise<void>): void
}

const noUnits: UnitHooks = { whenCommitted: action => action(), whenRolledBack: () => {} }

/** Ignores that the file store is unreachable: the sweep removes the content later. */
async function unlessUnreachable(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!isTemporary(error)) throw error
  }
}

interface FileOwner {
  /** The user whose token uploads it. */
  userId?: string | undefined
  conversationId?: string | undefined
}

export const noFile = (): AppError => new AppError('not_found', 'The file does not exist')

export class FileService {
  readonly store: FileStore
  readonly blobs: BlobStore
  readonly #verified: VerifiedBlobs
  readonly #clock: Clock
  readonly maxBytes: number
  readonly #units: UnitHooks

  constructor(store: FileStore, blobs: BlobStore, clock: Clock, maxBytes: number, units = noUnits) {
    this.store = store
    this.blobs = blobs
    this.#verified = new VerifiedBlobs(blobs)
    this.#clock = clock
    this.maxBytes = maxBytes
    this.#units = units
  }

  /** Stores the content. Until `add` it belongs to no file, and is swept if `add` never follows. */
  receive(source: AsyncIterable<Uint8Array>, maxBytes = this.maxBytes): Promise<WrittenBlob> {
    return this.blobs.write(source, maxBytes)
  }

  /** Called before `add`: content that was just received replaces stored content, which may be damaged. */
  async repair(workspaceId: string, blob: WrittenBlob): Promise<void> {
    const stored = await this.store.findBlobKey(workspaceId, blob.sha256)
    if (stored !== undefined) await this.blobs.replace(stored, blob.key)
  }

  /** Removes content that was received, but belongs to no file. */
  discard({ key }: WrittenBlob): Promise<void> {
    return unlessUnreachable(this.blobs.remove(key))
  }

  async add(workspaceId: string, name: string, blob: WrittenBlob, owner?: FileOwner): Promise<FileRecord> {
    const [file] = await this.#add([{ name, blob }], owner, async ([added]) => [
      await this.store.add(workspaceId, added!),
    ])
    return file!
  }

  /** Adds all files or none. */
  async addAll(workspaceId: string, contents: readonly NamedBlob[]): Promise<FileRecord[]> {
    if (contents.length === 0) return []
    return this.#add(contents, undefined, added => this.store.addAll(workspaceId, added))
  }

  async #add(
    contents: readonly NamedBlob[],
    { userId = '', conversationId }: FileOwner = {},
    write: (added: LocatedFile[]) => Promise<LocatedFile[]>,
  ): Promise<FileRecord[]> {
    const createdAt = this.#clock.now()
    const added: LocatedFile[] = []
    for (const { name, blob } of contents) {
      const { key: blobKey, size, sha256, head } = blob
      const mimeType = await detectMimeType(head, name)
      added.push({
        id: mintId('file'),
        name,
        size,
        mimeType,
        sha256,
        createdAt,
        userId,
        conversationId,
        blobKey,
      })
    }
    const stored = await write(added).catch(async (error: unknown) => {
      // Nothing was committed, and the space is needed now.
      if (error instanceof AppError && error.reason === 'storage_full')
        await Promise.all(contents.map(({ blob }) => this.discard(blob)))
      throw error
    })
    this.#units.whenRolledBack(async () => {
      await Promise.all(contents.map(({ blob }) => this.discard(blob)))
    })
    // Where a stored blob with the same content is used, nothing refers to the new one. If removing it fails, it is
    // swept.
    for (const [at, { blobKey }] of stored.entries())
      if (blobKey !== added[at]!.blobKey) void this.blobs.remove(added[at]!.blobKey).catch(() => {})
    return added
  }

  /** Gives a file another content, after `repair`. Undefined when there is no such file, or its content is the same. */
  async replace(workspaceId: string, id: string, name: string, blob: WrittenBlob) {
    const { key: blobKey, size, sha256, head } = blob
    const mimeType = await detectMimeType(head, name)
    const replaced = await this.store.replace(workspaceId, id, { name, size, mimeType, sha256, blobKey })
    this.#units.whenRolledBack(() => this.discard(blob))
    const unused = replaced ? [...replaced.releasedKeys] : []
    if (replaced?.blobKey !== blobKey) unused.push(blobKey)
    await this.#units.whenCommitted(() =>
      unlessUnreachable(Promise.all(unused.map(key => this.blobs.remove(key)))),
    )
    return replaced && { name, size, mimeType }
  }

  async find(workspaceId: string, id: string): Promise<LocatedFile> {
    const file = await this.store.find(workspaceId, id)
    if (!file) throw noFile()
    return file
  }

  /** A part cannot be verified alone, so the whole blob is verified first, once until it changes. */
  async read(file: LocatedFile, range?: { start: number; end: number }): Promise<Readable> {
    const { blobKey: key, sha256, size } = file
    const isPart = range !== undefined && (range.start > 0 || range.end < size - 1)
    if (isPart) await this.#verified.ensure({ key, sha256, size })
    const stream = await this.blobs.read(key, range)
    return isPart ? stream : verifiedContent(stream, sha256, size)
  }

  /** The whole content in memory, verified. */
  async load({ blobKey, sha256, size }: LocatedFile): Promise<Uint8Array<ArrayBuffer>> {
    return loadVerified(await this.blobs.read(blobKey), sha256, size)
  }

  /** Files for which `isVisible` is false are reported as missing. */
  async info(
    workspaceId: string,
    ids: string[],
    isVisible: (file: FileRecord) => boolean = () => true,
  ): Promise<{ items: FileRecord[]; missing: string[] }> {
    const unique = [...new Set(ids)]
    const files = await this.store.findMany(workspaceId, unique)
    const found = new Map(files.filter(isVisible).map(file => [file.id, file]))
    return {
      items: unique.flatMap(id => found.get(id) ?? []),
      missing: unique.filter(id => !found.has(id)),
    }
  }

  async remove(workspaceId: string, ids: string[], force: boolean): Promise<RemovedFiles> {
    const removed = await this.store.remove(workspaceId, ids, force)
    // The rows are deleted already; after a crash the content is swept later.
    await this.#units.whenCommitted(() =>
      unlessUnreachable(Promise.all(removed.releasedKeys.map(key => this.blobs.remove(key)))),
    )
    return removed
  }

  /** Deletes the contents of deleted workspaces. */
  async purge(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const keys = (await this.store.keysOfDeletedWorkspaces()).map(({ key }) => key)
      if (keys.length === 0) return
      await Promise.all(keys.map(key => this.blobs.remove(key)))
      await this.store.forget(keys)
    }
  }
}
