import { existsSync, type Stats } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { syncFolder } from '../kernel/durable-files.ts'
import { BackupError, damagedArchive } from './archive-format.ts'
import type { ArchiveSource, ArchiveTarget } from './archive-place.ts'
import { blockBytes } from './tar.ts'

/** Writes to `<path>.partial`, which becomes `<path>` when everything is on the disk; a killed backup is overwritten. */
export async function createArchiveFile(path: string): Promise<ArchiveTarget> {
  const place = resolve(path)
  if (existsSync(place))
    throw new BackupError(`The file ${place} already exists. Choose another name or remove it first.`)
  const partial = `${place}.partial`
  await rm(partial, { force: true })
  // An archive contains everything, including the operator's token: only its owner may read it.
  const file = await open(partial, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new BackupError(`There is no folder ${dirname(place)}.`) : error
  })
  const numberOf = async (at: Promise<Stats>): Promise<number | undefined> =>
    (await at.catch(() => undefined))?.ino
  return {
    place,
    write: async bytes => {
      // A disk that is running full may accept only a part; the next call then reports why.
      for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten
    },
    finish: async () => {
      await file.sync()
      const [mine, found] = await Promise.all([file.stat(), numberOf(stat(partial))])
      await file.close()
      if (mine.ino !== found || existsSync(place))
        throw new BackupError(
          `Another backup was written to ${place} at the same time; this one was abandoned.`,
        )
      await rename(partial, place)
      await syncFolder(dirname(place))
    },
    discard: async () => {
      const mine = await numberOf(file.stat())
      await file.close().catch(() => {})
      const found = await numberOf(stat(partial))
      if (mine === undefined || mine === found) await rm(partial, { force: true })
    },
  }
}

const chunkBytes = 256 << 10

/** `createReadStream` of the handle would leak a listener on it each time, and an archive has a range for each file. */
async function* rangeOf(file: FileHandle, start: number, size: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < size; ) {
    // A new buffer each time, because the consumer may keep it.
    const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, size - done))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start + done)
    if (bytesRead === 0) throw damagedArchive('it ends too early')
    done += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

export async function openArchiveFile(path: string): Promise<ArchiveSource> {
  const place = resolve(path)
  const file = await open(place, 'r').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new BackupError(`There is no file ${place}.`) : error
  })
  const found = await file.stat()
  if (found.isFile())
    return {
      ...{ size: found.size, windowBytes: blockBytes },
      read: (start, size) => rangeOf(file, start, size),
      close: () => file.close(),
    }
  await file.close()
  throw new BackupError(`${place} is not a file.`)
}
