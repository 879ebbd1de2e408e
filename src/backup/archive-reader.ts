import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { BackupError, damagedArchive } from './backup-error.ts'
import { readRange } from './read-range.ts'
import { blockBytes, decodeHeader, paddingOf, type TarEntry } from './tar-header.ts'

export interface FoundEntry extends TarEntry {
  /** Where its header begins. */
  start: number
}

/** Looks into an archive, anywhere and as often as needed. Nothing in it is ever used as a path. */
export class ArchiveReader {
  readonly #file: FileHandle
  readonly #size: number

  private constructor(file: FileHandle, size: number) {
    this.#file = file
    this.#size = size
  }

  static async open(path: string): Promise<ArchiveReader> {
    const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new BackupError(`There is no file ${path}.`) : error
    })
    const found = await file.stat()
    if (found.isFile()) return new ArchiveReader(file, found.size)
    await file.close()
    throw new BackupError(`${path} is not a file.`)
  }

  /** Goes from header to header, without reading what lies between, to the mark at the end. */
  async *entries(start = 0): AsyncGenerator<FoundEntry> {
    for (let at = start; ; ) {
      const entry = decodeHeader(await this.#header(at))
      if (!entry) return
      const next = at + blockBytes + entry.size + paddingOf(entry.size)
      if (next > this.#size) throw damagedArchive('it ends too early')
      yield { ...entry, start: at }
      at = next
    }
  }

  async #header(at: number): Promise<Buffer> {
    const block = Buffer.alloc(blockBytes)
    const { bytesRead } = await this.#file.read(block, 0, blockBytes, at)
    if (bytesRead < blockBytes) throw damagedArchive('it ends too early')
    return block
  }

  read({ start, size }: FoundEntry): AsyncIterable<Uint8Array> {
    return readRange(this.#file, start + blockBytes, size)
  }

  async sha256(entry: FoundEntry): Promise<string> {
    const hash = createHash('sha256')
    for await (const chunk of this.read(entry)) hash.update(chunk)
    return hash.digest('hex')
  }

  /** For small entries only. */
  async bytes(entry: FoundEntry): Promise<Buffer> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this.read(entry)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}
