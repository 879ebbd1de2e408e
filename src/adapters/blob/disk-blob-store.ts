import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { limits } from '../../contract/limits.ts'
import { type BlobStore, type ByteRange, headBytes, type WrittenBlob } from '../../files/blob-store.ts'
import { AppError } from '../../kernel/app-error.ts'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import { syncFolder } from '../../kernel/sync-folder.ts'
import { errorCodeOf, onDisk } from './disk-failure.ts'
import { createFileSink } from './file-sink.ts'
import { createShardFolders, makeFolder } from './folders.ts'
import { openBlob } from './open-blob.ts'

/** Lower-case hex, which is safe on case-insensitive file systems; 128 random bits do not collide. */
const mintKey = (): string => randomBytes(16).toString('hex')
const isKey = (name: string): boolean => /^[0-9a-f]{32}$/.test(name)

/** A shard directory: the first two characters of the keys in it. There are 256, so that none gets too large. */
const isShard = (name: string): boolean => /^[0-9a-f]{2}$/.test(name)

/** `undefined` if the file does not exist. */
const unlessAbsent = async <T>(call: Promise<T>): Promise<T | undefined> => {
  try {
    return await call
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

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
  const hash = createHash('sha256')
  const head = Buffer.alloc(headBytes)
  let size = 0
  try {
    for await (const chunk of source) {
      if (size + chunk.length > limit)
        throw new AppError('too_large', `The file is larger than ${limit} bytes`)
      if (size < headBytes) head.set(chunk.subarray(0, headBytes - size), size)
      size += chunk.length
      hash.update(chunk)
      await sink.add(chunk)
    }
    await sink.finish()
  } finally {
    await sink.settle()
  }
  return { size, sha256: hash.digest('hex'), head: head.subarray(0, size) }
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
  readonly #blobs: string
  readonly #temporary: string
  readonly #clock: Clock
  readonly #shards = createShardFolders()
  /** Temporary files in use by this process; on a slow disk they may be unchanged for long. */
  readonly #live = new Set<string>()

  constructor(blobs: string, temporary: string, clock: Clock) {
    this.#blobs = blobs
    this.#temporary = temporary
    this.#clock = clock
  }

  async write(source: AsyncIterable<Uint8Array>, limit: number): Promise<WrittenBlob> {
    const key = mintKey()
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

  async remove(key: string): Promise<void> {
    const path = this.#pathOf(key)
    await onDisk(() => unlessAbsent(unlink(path)))
  }

  async *list(): AsyncGenerator<{ key: string; modifiedAt: number }> {
    for (const shard of await onDisk(() => namesIn(this.#blobs, isShard)))
      for (const key of await onDisk(() => namesIn(join(this.#blobs, shard), isKey))) {
        const found = await onDisk(() => unlessAbsent(stat(this.#pathOf(key))))
        if (found) yield { key, modifiedAt: found.mtimeMs }
      }
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
    const shard = dirname(path)
    await this.#shards.ready(shard)
    try {
      await rename(temporary, path)
      await syncFolder(shard)
    } catch (error) {
      this.#shards.forget(shard)
      await unlink(path).catch(() => {})
      throw error
    }
  }

  #pathOf(key: string): string {
    // Keys come from our own rows, so this is a bug and not an error of the client.
    if (!isKey(key)) throw new Error('Invalid blob key')
    return join(this.#blobs, key.slice(0, 2), key)
  }
}

/** Stores blobs in `folder`, which must be one file system, because blobs are published by a rename. */
export const openDiskBlobStore = async (folder: string, clock: Clock = systemClock): Promise<BlobStore> => {
  const blobs = resolve(folder, 'blobs')
  const temporary = resolve(folder, 'tmp')
  await onDisk(async () => {
    await makeFolder(blobs)
    await makeFolder(temporary)
  })
  return new DiskBlobStore(blobs, temporary, clock)
}
