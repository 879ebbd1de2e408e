import { createHash } from 'node:crypto'
import type { ArchiveTarget } from './archive-place.ts'
import { blockBytes, encodeHeader, paddingOf, type TarEntry } from './tar.ts'

const zeros = Buffer.alloc(64 << 10)

/** Writes an archive from its beginning to its end, so that it can be written to a place without random access. */
export class ArchiveWriter {
  readonly #target: ArchiveTarget
  readonly #modifiedAt: number
  bytes = 0

  constructor(target: ArchiveTarget, modifiedAt: number) {
    this.#target = target
    this.#modifiedAt = modifiedAt
  }

  /** Returns the checksum. An entry has the size in its header: missing bytes are zeros, others are left out. */
  async add(
    { name, size }: TarEntry,
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<string> {
    await this.#write(encodeHeader({ name, size }, this.#modifiedAt))
    const hash = createHash('sha256')
    let rest = size
    for await (const chunk of content) {
      hash.update(chunk)
      const fitting = chunk.subarray(0, rest)
      await this.#write(fitting)
      rest -= fitting.length
      if (fitting.length < chunk.length) break
    }
    await this.#pad(rest + paddingOf(size))
    return hash.digest('hex')
  }

  /** The mark of the end. */
  end(): Promise<void> {
    return this.#pad(2 * blockBytes)
  }

  async #pad(size: number): Promise<void> {
    for (let rest = size; rest > 0; rest -= zeros.length) await this.#write(zeros.subarray(0, rest))
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#target.write(bytes)
    this.bytes += bytes.length
  }
}
