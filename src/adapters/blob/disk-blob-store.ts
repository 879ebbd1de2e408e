import {
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  stat,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { limits } from '../../contract/limits.ts'
import type { BlobArea, BlobStore, ByteRange, WrittenBlob } from '../../files/blob-store.ts'
import { AppError } from '../../kernel/app-error.ts'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import { makeFolder, publishOnce, syncFolder, unlessAbsent } from '../../kernel/durable-files.ts'
import { checkKey, isKey, mintKey } from './blob-key.ts'
import { ContentMeter } from './content-meter.ts'
import { diskFailure, errorCodeOf, onDisk } from './disk-failure.ts'
import { createFileSink } from './file-sink.ts'
import { openBlob } from './open-blob.ts'

const makeShard = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error
  }
  await syncFolder(dirname(path))
}

/**
 * Creates shard directories and remembers them. The first use in a process syncs the parent even if the directory
 * exists, because the process that created it may have crashed before its sync. Writers of one shard share the promise,
 * so that none finishes before the directory itself is durable.
 */
export const createShardFolders = () => {
  const known = new Map<string, Promise<void>>()
  return {
    ready(path: string): Promise<void> {
      const begun = known.get(path)
      if (begun) return begun
      const making = makeShard(path)
      known.set(path, making)
      making.catch(() => known.delete(path))
      return making
    },
    forget: (path: string) => known.delete(path),
  }
}

/** Syncs directories. Callers that ask while one is being synced share the next sync, which begins after their changes. */
export const createFolderSyncs = (sync: (folder: string) => Promise<void> = syncFolder) => {
  const running = new Map<string, Promise<void>>()
  const waiting = new Map<string, Promise<void>>()
  const start = (folder: string): Promise<void> => {
    const syncing = sync(folder).finally(() => running.delete(folder))
    running.set(folder, syncing)
    return syncing
  }
  return (folder: string): Promise<void> => {
    const known = waiting.get(folder)
    if (known) return known
    const current = running.get(folder)
    if (!current) return start(folder)
    const end = () => waiting.delete(folder)
    // After a failure the next sync may report a false success, so callers that wait for it fail, too.
    const next = current.then(() => {
      end()
      return start(folder)
    })
    current.catch(end)
    waiting.set(folder, next)
    return next
  }
}

/** Blobs that are written at the same time get one shard, so that they share its syncs. */
const blobsPerShard = 256

/** A shard directory: the first two characters of the keys in it. There are 256, so that none gets too large. */
const isShard = (name: string): boolean => /^[0-9a-f]{2}$/.test(name)

/** Only valid names: other files in these directories are not ours. */
const namesIn = async (folder: string, isOurs: (name: string) => boolean): Promise<string[]> =>
  ((await unlessAbsent(readdir(folder))) ?? []).filter(isOurs)

/** Writes `source` to the file, syncs it, and computes size, checksum and head. */
const fill = async (
  file: FileHandle,
  source: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Omit<WrittenBlob, 'key'>> => {
  const sink = createFileSink(file)
  const meter = new ContentMeter(limit)
  try {
    for await (const chunk of source) {
      meter.add(chunk)
      await sink.add(chunk)
    }
    await sink.finish()
  } finally {
    await sink.settle()
  }
  return meter.result()
}

const writeTemporary = async (path: string, source: AsyncIterable<Uint8Array>, limit: number) => {
  const file = await onDisk(() => open(path, 'wx', 0o600)).catch(async error => {
    await source[Symbol.asyncIterator]()
      .return?.()
      .catch(() => {})
    throw error
  })
  try {
    return await fill(file, source, limit)
  } finally {
    // After a sync, closing cannot lose data.
    await file.close().catch(() => {})
  }
}

class DiskBlobStore implements BlobStore {
  readonly isLocal = true
  readonly sweepSeconds = 20
  readonly #areas: Record<BlobArea, string>
  readonly #temporary: string
  readonly #idPath: string
  readonly #clock: Clock
  readonly #shards = createShardFolders()
  readonly #syncFolder = createFolderSyncs()
  #shard = ''
  #left = 0
  /** Temporary files in use by this process; on a slow disk they may be unchanged for long. */
  readonly #live = new Set<string>()

  constructor(folder: string, clock: Clock) {
    this.#areas = { blobs: join(folder, 'blobs'), quarantine: join(folder, 'quarantine') }
    this.#temporary = join(folder, 'tmp')
    this.#idPath = join(folder, 'installation-id')
    this.#clock = clock
  }

  async write(source: AsyncIterable<Uint8Array>, limit: number): Promise<WrittenBlob> {
    const key = this.#nextKey()
    const temporary = join(this.#temporary, key)
    this.#live.add(key)
    try {
      const measured = await writeTemporary(temporary, source, limit)
      await onDisk(() => this.#publish(temporary, key))
      return { key, ...measured }
    } catch (error) {
      // Best effort: a sweep removes it later otherwise.
      await unlink(temporary).catch(() => {})
      throw error
    } finally {
      this.#live.delete(key)
    }
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    return openBlob(this.#pathOf(key), range)
  }

  async tagOf(key: string): Promise<string | undefined> {
    const found = await onDisk(() => unlessAbsent(stat(this.#pathOf(key), { bigint: true })))
    return found && `${found.ino}-${found.size}-${found.mtimeNs}`
  }

  async replace(key: string, by: string): Promise<void> {
    const name = mintKey()
    const second = join(this.#temporary, name)
    this.#live.add(name)
    try {
      await onDisk(async () => {
        await link(this.#pathOf(by), second)
        await this.#rename(second, this.#pathOf(key))
      })
    } finally {
      this.#live.delete(name)
    }
  }

  async remove(key: string, area: BlobArea = 'blobs'): Promise<void> {
    const path = this.#pathOf(key, area)
    await onDisk(() => unlessAbsent(unlink(path)))
  }

  async *list(area: BlobArea = 'blobs'): AsyncGenerator<{ key: string; modifiedAt: number }> {
    const folder = this.#areas[area]
    for (const shard of await onDisk(() => namesIn(folder, isShard)))
      for (const key of await onDisk(() => namesIn(join(folder, shard), isKey))) {
        const found = await onDisk(() => unlessAbsent(stat(this.#pathOf(key, area))))
        if (found) yield { key, modifiedAt: found.mtimeMs }
      }
  }

  async move(key: string, to: BlobArea): Promise<void> {
    const from = this.#pathOf(key, to === 'blobs' ? 'quarantine' : 'blobs')
    const now = this.#clock.now() / 1000
    await onDisk(() =>
      // The time is set first: after a crash in between, the blob only stays a little longer.
      unlessAbsent(utimes(from, now, now).then(() => this.#rename(from, this.#pathOf(key, to)))),
    )
  }

  async installationId(): Promise<string | undefined> {
    const text = await onDisk(() => unlessAbsent(readFile(this.#idPath, 'utf8')))
    return text?.trim() || undefined
  }

  setInstallationId(id: string, { replace }: { replace: boolean }): Promise<string> {
    return onDisk(async () => {
      const temporary = join(this.#temporary, mintKey())
      await writeFile(temporary, `${id}\n`, { mode: 0o600, flush: true })
      // The file appears complete or not at all. If several processes start at once, the first one sets it.
      if (replace) await rename(temporary, this.#idPath)
      else await publishOnce(temporary, this.#idPath)
      await syncFolder(dirname(this.#idPath))
      return (await this.installationId()) ?? ''
    })
  }

  sweepTemporary(): Promise<number> {
    return onDisk(async () => {
      const oldest = this.#clock.now() - limits.temporaryFileMilliseconds
      let removed = 0
      for (const name of await namesIn(this.#temporary, isKey)) {
        const path = join(this.#temporary, name)
        const found = this.#live.has(name) ? undefined : await unlessAbsent(stat(path))
        if (!found || found.mtimeMs > oldest) continue
        await unlessAbsent(unlink(path))
        removed++
      }
      return removed
    })
  }

  async check(): Promise<void> {
    const path = join(this.#temporary, mintKey())
    try {
      await using file = await open(path, 'wx', 0o600)
      // A whole block, because a few bytes may fit into the inode on a full disk.
      await file.write(Buffer.alloc(4096))
      await file.sync()
    } catch (error) {
      const failure = diskFailure(error)
      if (failure instanceof AppError && failure.reason === 'storage_full') throw failure
      const code = errorCodeOf(error) ?? 'unknown'
      throw new AppError('unavailable', `The file store is not writable (${code}); check DATA_DIR`, {
        cause: error,
      })
    } finally {
      await unlink(path).catch(() => {})
    }
  }

  /** Makes the blob visible; it is durable once the directory is synced. */
  async #publish(temporary: string, key: string): Promise<void> {
    const path = this.#pathOf(key)
    try {
      await this.#rename(temporary, path)
    } catch (error) {
      await unlink(path).catch(() => {})
      throw error
    }
  }

  /** Durable when it resolves. At any time `to` has either its old content or that of `from`. */
  async #rename(from: string, to: string): Promise<void> {
    const shard = dirname(to)
    await this.#shards.ready(shard)
    try {
      await rename(from, to)
      await this.#syncFolder(shard)
    } catch (error) {
      this.#shards.forget(shard)
      throw error
    }
  }

  #nextKey(): string {
    if (this.#left-- === 0) {
      this.#shard = mintKey().slice(0, 2)
      this.#left = blobsPerShard - 1
    }
    return this.#shard + mintKey().slice(2)
  }

  #pathOf(key: string, area: BlobArea = 'blobs'): string {
    checkKey(key)
    return join(this.#areas[area], key.slice(0, 2), key)
  }
}

/** Stores blobs in `folder`, which must be one file system, because blobs are published by a rename. */
export const openDiskBlobStore = async (folder: string, clock: Clock = systemClock): Promise<BlobStore> => {
  await onDisk(async () => {
    for (const name of ['blobs', 'quarantine', 'tmp']) await makeFolder(resolve(folder, name))
  })
  return new DiskBlobStore(resolve(folder), clock)
}
