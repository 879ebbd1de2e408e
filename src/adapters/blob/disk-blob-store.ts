import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { limits } from '../../contract/limits.ts'
import { type BlobStore, headBytes, type WrittenBlob } from '../../files/blob-store.ts'
import { AppError } from '../../kernel/app-error.ts'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import { syncFolder } from '../../kernel/sync-folder.ts'
import { type BlobLayout, blobLayout, isKey, isShard, mintKey } from './blob-layout.ts'
import { errorCodeOf, onDisk } from './disk-failure.ts'
import { createFileSink } from './file-sink.ts'
import { openBlob } from './open-blob.ts'
import { createShardFolders } from './shard-folders.ts'

/** `undefined` if the file does not exist. */
const unlessAbsent = async <T>(call: Promise<T>): Promise<T | undefined> => {
  try {
    return await call
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Creates a directory and syncs the parent of every new level, so that it survives power loss. */
const makeFolder = async (folder: string): Promise<void> => {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (firstMade === undefined) return
  const last = dirname(firstMade)
  for (let level = folder; level !== last && level !== dirname(level); level = dirname(level))
    await syncFolder(dirname(level))
}

/** Only valid names: other files in these directories are not ours. */
const namesIn = async (folder: string, isOurs: (name: string) => boolean): Promise<string[]> =>
  ((await unlessAbsent(readdir(folder))) ?? []).filter(isOurs)

const closeUnread = async (source: AsyncIterable<Uint8Array>): Promise<void> => {
  await source[Symbol.asyncIterator]().return?.()
}

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

const diskBlobStore = (layout: BlobLayout, clock: Clock): BlobStore => {
  const shards = createShardFolders()
  /** Temporary files in use by this process; on a slow disk they may be unchanged for long. */
  const live = new Set<string>()

  /** Makes the blob visible; it is durable once the directory is synced. */
  const publish = async (temporary: string, key: string): Promise<void> => {
    const shard = layout.shardOf(key)
    await shards.ready(shard)
    try {
      await rename(temporary, layout.pathOf(key))
      await syncFolder(shard)
    } catch (error) {
      shards.forget(shard)
      await unlink(layout.pathOf(key)).catch(() => {})
      throw error
    }
  }

  const writeTemporary = async (path: string, source: AsyncIterable<Uint8Array>, limit: number) => {
    const file = await onDisk(() => open(path, 'wx', 0o600)).catch(async error => {
      await closeUnread(source).catch(() => {})
      throw error
    })
    try {
      return await fill(file, source, limit)
    } finally {
      // After a sync, closing cannot lose data.
      await file.close().catch(() => {})
    }
  }

  return {
    async write(source, limit) {
      const key = mintKey()
      const temporary = layout.temporaryPath(key)
      live.add(key)
      try {
        const measured = await writeTemporary(temporary, source, limit)
        await onDisk(() => publish(temporary, key))
        return { key, ...measured }
      } catch (error) {
        // Best effort: a sweep removes it later otherwise.
        await unlink(temporary).catch(() => {})
        throw error
      } finally {
        live.delete(key)
      }
    },

    read: async (key, range) => openBlob(layout.pathOf(key), range),

    async remove(key) {
      const path = layout.pathOf(key)
      await onDisk(() => unlessAbsent(unlink(path)))
    },

    async *list() {
      for (const shard of await onDisk(() => namesIn(layout.blobs, isShard))) {
        for (const key of await onDisk(() => namesIn(join(layout.blobs, shard), isKey))) {
          const found = await onDisk(() => unlessAbsent(stat(layout.pathOf(key))))
          if (found) yield { key, modifiedAt: found.mtimeMs }
        }
      }
    },

    sweepTemporary: () =>
      onDisk(async () => {
        const oldest = clock.now() - limits.temporaryFileMilliseconds
        let removed = 0
        for (const name of await namesIn(layout.temporary, isKey)) {
          if (live.has(name)) continue
          const path = layout.temporaryPath(name)
          const found = await unlessAbsent(stat(path))
          if (!found || found.mtimeMs > oldest) continue
          await unlessAbsent(unlink(path))
          removed++
        }
        return removed
      }),

    async check() {
      const path = layout.temporaryPath(mintKey())
      try {
        const file = await open(path, 'wx', 0o600)
        try {
          // A whole block, because a few bytes may fit into the inode on a full disk.
          await file.write(Buffer.alloc(4096))
          await file.sync()
        } finally {
          await file.close()
        }
      } catch (error) {
        const code = errorCodeOf(error) ?? 'unknown'
        throw new AppError('unavailable', `The file store is not writable (${code}); check DATA_DIR`, {
          cause: error,
        })
      } finally {
        await unlink(path).catch(() => {})
      }
    },
  }
}

/** Stores blobs in `folder`, which must be one file system, because blobs are published by a rename. */
export const openDiskBlobStore = async (folder: string, clock: Clock = systemClock): Promise<BlobStore> => {
  const layout = blobLayout(resolve(folder))
  await onDisk(async () => {
    await makeFolder(layout.blobs)
    await makeFolder(layout.temporary)
  })
  return diskBlobStore(layout, clock)
}
