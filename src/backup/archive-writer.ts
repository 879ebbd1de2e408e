import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { syncFolder } from '../kernel/durable-files.ts'
import { BackupError } from './archive-format.ts'
import { blockBytes, encodeHeader, paddingOf, readRange, type TarEntry } from './tar.ts'

export interface WrittenEntry extends TarEntry {
  /** Where its header begins. */
  start: number
  sha256: string
}

/** Writes to `<path>.partial`, which becomes `<path>` when everything is on the disk; a killed backup is overwritten. */
export class ArchiveWriter {
  readonly path: string
  readonly #partial: string
  readonly #file: FileHandle
  readonly #modifiedAt: number
  #end = 0

  private constructor(path: string, partial: string, file: FileHandle, modifiedAt: number) {
    this.path = path
    this.#partial = partial
    this.#file = file
    this.#modifiedAt = modifiedAt
  }

  static async open(path: string, modifiedAt: number): Promise<ArchiveWriter> {
    const target = resolve(path)
    if (existsSync(target))
      throw new BackupError(`The file ${target} already exists. Choose another name or remove it first.`)
    const partial = `${target}.partial`
    await rm(partial, { force: true })
    // An archive contains everything, including the operator's token: only its owner may read it.
    const file = await open(partial, 'wx+', 0o600).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new BackupError(`There is no folder ${dirname(target)}.`) : error
    })
    return new ArchiveWriter(target, partial, file, modifiedAt)
  }

  /** The content is written first; the header, which holds its size, goes into the gap before it. */
  async add(name: string, content: AsyncIterable<Uint8Array> | Uint8Array[]): Promise<WrittenEntry> {
    const start = this.#end
    const hash = createHash('sha256')
    let at = start + blockBytes
    for await (const chunk of content) {
      hash.update(chunk)
      await this.#write(chunk, at)
      at += chunk.length
    }
    const size = at - start - blockBytes
    await this.#write(Buffer.alloc(paddingOf(size)), at)
    await this.#write(encodeHeader({ name, size }, this.#modifiedAt), start)
    this.#end = at + paddingOf(size)
    return { name, size, start, sha256: hash.digest('hex') }
  }

  /** Removes the last entry again. */
  drop(last: WrittenEntry): void {
    this.#end = last.start
  }

  read({ start, size }: WrittenEntry): AsyncIterable<Uint8Array> {
    return readRange(this.#file, start + blockBytes, size)
  }

  /** When this resolves, the archive has its name and survives power loss. Returns its size in bytes. */
  async finish(): Promise<number> {
    await this.#write(Buffer.alloc(2 * blockBytes), this.#end)
    const bytes = this.#end + 2 * blockBytes
    // Bytes of a removed entry may remain after the end.
    await this.#file.truncate(bytes)
    await this.#file.sync()
    const [mine, found] = await Promise.all([this.#file.stat(), stat(this.#partial).catch(() => undefined)])
    await this.#file.close()
    if (mine.ino !== found?.ino || existsSync(this.path))
      throw new BackupError(
        `Another backup was written to ${this.path} at the same time; this one was abandoned.`,
      )
    await rename(this.#partial, this.path)
    await syncFolder(dirname(this.path))
    return bytes
  }

  async discard(): Promise<void> {
    const mine = await this.#file.stat().catch(() => undefined)
    await this.#file.close().catch(() => {})
    const found = await stat(this.#partial).catch(() => undefined)
    if (mine === undefined || mine.ino === found?.ino) await rm(this.#partial, { force: true })
  }

  async #write(bytes: Uint8Array, position: number): Promise<void> {
    // A disk that is running full may accept only a part; the next call then reports why.
    for (let done = 0; done < bytes.length; )
      done += (await this.#file.write(bytes, done, bytes.length - done, position + done)).bytesWritten
  }
}
