import { constants, crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { DocumentFailure } from '../../document-failure.ts'
import { refuseCompoundFile } from './compound-file.ts'
import { readZipDirectory, type ZipEntry } from './zip-directory.ts'

const mebibyte = 1024 * 1024
const maxUnpacked = 200 * mebibyte
const maxRatio = 200
const chunkSize = 64 * 1024

const broken = (name: string, what: string, cause?: unknown): DocumentFailure =>
  new DocumentFailure('broken_file', `The file is damaged: its part "${name}" ${what}.`, { cause })

const tooLarge = (): DocumentFailure =>
  new DocumentFailure(
    'too_large',
    `The file unpacks to more than ${maxUnpacked / mebibyte} MiB or to more than ${maxRatio} times its size. Split it.`,
  )

const refuseBomb = (unpacked: number, packed: number): void => {
  if (unpacked > maxUnpacked || (unpacked > mebibyte && unpacked > packed * maxRatio)) throw tooLarge()
}

/**
 * A zip archive in memory. Names are keys and nothing else: no part ever becomes a file, so `../x` leads nowhere.
 * What the archive declares is checked when it is opened, what it really holds while it is unpacked.
 */
export class ZipArchive {
  readonly #bytes: Buffer
  readonly #entries = new Map<string, ZipEntry>()

  constructor(bytes: Buffer, entries: ZipEntry[]) {
    this.#bytes = bytes
    for (const entry of entries) {
      if (this.#entries.has(entry.name)) throw broken(entry.name, 'is there twice')
      this.#entries.set(entry.name, entry)
    }
    const sum = (pick: (entry: ZipEntry) => number) =>
      entries.reduce((total, entry) => total + pick(entry), 0)
    refuseBomb(
      sum(entry => entry.size),
      sum(entry => entry.packedSize),
    )
  }

  get names(): string[] {
    return [...this.#entries.keys()]
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** A whole part. For one that may be large, `chunks` does not hold it. */
  read(name: string): Uint8Array {
    const entry = this.#find(name)
    const packed = this.#packed(entry)
    const unpacked = entry.method === 0 ? packed : this.#inflate(entry, packed)
    this.#check(entry, unpacked.length, crc32(unpacked))
    return unpacked
  }

  /** A part piece by piece. What is wrong with its end is told only at its end. */
  async *chunks(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.#find(name)
    let length = 0
    let crc = 0
    try {
      for await (const chunk of this.#pieces(entry)) {
        length += chunk.length
        if (length > entry.size) throw broken(name, 'is longer than it declares')
        crc = crc32(chunk, crc)
        yield chunk
      }
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
        throw broken(name, 'cannot be unpacked', error)
      throw error
    }
    this.#check(entry, length, crc)
  }

  #find(name: string): ZipEntry {
    const entry = this.#entries.get(name)
    if (!entry) throw broken(name, 'is missing')
    if (entry.method !== 0 && entry.method !== 8) throw broken(name, 'is packed in an unknown way')
    // A stored part declares its size twice; a bomb inside a large archive hides behind the other parts.
    if (entry.method === 0 && entry.size !== entry.packedSize) throw broken(name, 'declares two sizes')
    refuseBomb(entry.size, entry.packedSize)
    return entry
  }

  #packed(entry: ZipEntry): Buffer {
    return this.#bytes.subarray(entry.start, entry.start + entry.packedSize)
  }

  #inflate(entry: ZipEntry, packed: Buffer): Buffer {
    try {
      return inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.size) })
    } catch (error) {
      throw broken(entry.name, 'cannot be unpacked to the size it declares', error)
    }
  }

  async *#pieces(entry: ZipEntry): AsyncGenerator<Buffer> {
    const packed = this.#packed(entry)
    if (entry.method === 0) {
      for (let at = 0; at < packed.length; at += chunkSize) yield packed.subarray(at, at + chunkSize)
      return
    }
    const inflate = createInflateRaw({ chunkSize, finishFlush: constants.Z_FINISH })
    inflate.end(packed)
    yield* inflate as AsyncIterable<Buffer>
  }

  #check(entry: ZipEntry, length: number, crc: number): void {
    if (length !== entry.size) throw broken(entry.name, 'is shorter than it declares')
    if (crc !== entry.crc) throw broken(entry.name, 'does not fit its checksum')
  }
}

export const openZip = (bytes: Uint8Array): ZipArchive => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  refuseCompoundFile(buffer)
  return new ZipArchive(buffer, readZipDirectory(buffer))
}
