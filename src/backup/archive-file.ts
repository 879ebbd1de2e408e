import { existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { syncFolder } from '../kernel/durable-files.ts'
import { BackupError, damagedArchive } from './archive-format.ts'
import type { ArchiveSource, ArchiveTarget } from './archive-place.ts'
import { blockBytes } from './tar.ts'

/** Writes to `<path>.partial`, which becomes `<path>` when everything is on the disk; a killed backup is overwritten. */
class ArchiveFileTarget implements ArchiveTarget {
  readonly place: string
  readonly #partial: string
  readonly #file: FileHandle

  constructor(place: string, partial: string, file: FileHandle) {
    this.place = place
    this.#partial = partial
    this.#file = file
  }

  async write(bytes: Uint8Array): Promise<void> {
    // A disk that is running full may accept only a part; the next call then reports why.
    for (let done = 0; done < bytes.length; ) done += (await this.#file.write(bytes, done)).bytesWritten
  }

  async finish(): Promise<void> {
    await this.#file.sync()
    const [mine, found] = await Promise.all([this.#file.stat(), stat(this.#partial).catch(() => undefined)])
    await this.#file.close()
    if (mine.ino !== found?.ino || existsSync(this.place))
      throw new BackupError(
        `Another backup was written to ${this.place} at the same time; this one was abandoned.`,
      )
    await rename(this.#partial, this.place)
    await syncFolder(dirname(this.place))
  }

  async discard(): Promise<void> {
    const mine = await this.#file.stat().catch(() => undefined)
    await this.#file.close().catch(() => {})
    const found = await stat(this.#partial).catch(() => undefined)
    if (mine === undefined || mine.ino === found?.ino) await rm(this.#partial, { force: true })
  }
}

export async function createArchiveFile(path: string): Promise<ArchiveTarget> {
  const target = resolve(path)
  if (existsSync(target))
    throw new BackupError(`The file ${target} already exists. Choose another name or remove it first.`)
  const partial = `${target}.partial`
  await rm(partial, { force: true })
  // An archive contains everything, including the operator's token: only its owner may read it.
  const file = await open(partial, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new BackupError(`There is no folder ${dirname(target)}.`) : error
  })
  return new ArchiveFileTarget(target, partial, file)
}

const chunkBytes = 256 << 10

class ArchiveFileSource implements ArchiveSource {
  readonly size: number
  readonly windowBytes = blockBytes
  readonly #file: FileHandle

  constructor(file: FileHandle, size: number) {
    this.#file = file
    this.size = size
  }

  /** `createReadStream` of the handle would leak a listener on it each time, and an archive has a range for each file. */
  async *read(start: number, size: number): AsyncGenerator<Buffer> {
    for (let done = 0; done < size; ) {
      // A new buffer each time, because the consumer may keep it.
      const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, size - done))
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, start + done)
      if (bytesRead === 0) throw damagedArchive('it ends too early')
      done += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

export async function openArchiveFile(path: string): Promise<ArchiveSource> {
  const place = resolve(path)
  const file = await open(place, 'r').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new BackupError(`There is no file ${place}.`) : error
  })
  const found = await file.stat()
  if (found.isFile()) return new ArchiveFileSource(file, found.size)
  await file.close()
  throw new BackupError(`${place} is not a file.`)
}
