import { constants, crc32, createInflateRaw } from 'node:zlib'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { limits } from '../../../../contract/limits.ts'
import { DocumentFailure } from '../../document-failure.ts'

const mebibyte = 1024 * 1024
const chunkSize = 64 * 1024

const compoundFileSignature = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const endSignature = Buffer.from('504b0506', 'hex')
const zip64LocatorSignature = Buffer.from('504b0607', 'hex')
const endLength = 22
const zip64LocatorLength = 20

const brokenFile = (reason: string, cause?: unknown): DocumentFailure =>
  new DocumentFailure('broken_file', `The file is damaged: ${reason}. Save or upload it again.`, { cause })

const brokenEntry = (name: string, reason: string, cause?: unknown): DocumentFailure =>
  new DocumentFailure('broken_file', `The file is damaged: its entry "${name}" ${reason}.`, { cause })

export const encrypted = (): DocumentFailure =>
  new DocumentFailure('encrypted', 'The file is protected with a password. Upload it without one.')

/** Old Office files, and new ones behind a password, are compound files instead of zip archives. */
const rejectCompoundFile = (bytes: Buffer): void => {
  if (!bytes.subarray(0, compoundFileSignature.length).equals(compoundFileSignature)) return
  if (bytes.includes('EncryptedPackage', 0, 'utf16le')) throw encrypted()
  throw new DocumentFailure(
    'unsupported_format',
    'This file was saved by an old Office version. Save it as .docx, .xlsx or .pptx and upload that.',
  )
}

const rejectBomb = (uncompressed: number, compressed: number): void => {
  if (
    uncompressed > limits.zipBytes ||
    (uncompressed > mebibyte && uncompressed > compressed * limits.zipRatio)
  )
    throw new DocumentFailure(
      'too_large',
      `The file unpacks to more than ${limits.zipBytes / mebibyte} MiB or to more than ${limits.zipRatio} times its size. Split it.`,
    )
}

/** Self-extracting archives have bytes before the archive, and some transfers append bytes; yauzl rejects both. */
const withoutSurroundingBytes = (bytes: Buffer): Buffer => {
  const end = bytes.lastIndexOf(endSignature, bytes.length - endLength)
  if (end < 0) throw brokenFile('its list of entries is missing')
  const last = Math.min(bytes.length, end + endLength + bytes.readUInt16LE(end + 20))
  const locator = Math.max(0, end - zip64LocatorLength)
  const isZip64 = bytes.subarray(locator, locator + 4).equals(zip64LocatorSignature)
  const start = isZip64 ? 0 : end - bytes.readUInt32LE(end + 12) - bytes.readUInt32LE(end + 16)
  return bytes.subarray(Math.max(0, start), last)
}

interface LocatedEntry {
  entry: Entry
  name: string
  start: number
}

const locateEntries = async (zip: ZipFile): Promise<LocatedEntry[]> => {
  const located: LocatedEntry[] = []
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) throw encrypted()
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
    // Many writers store UTF-8 names without the flag for it, and some use backslashes.
    const name = entry.fileNameRaw.toString('utf8').replaceAll('\\', '/')
    located.push({ entry, name, start: fileDataStart })
  }
  return located
}

/** Entries that share bytes are how a small file unpacks to a huge one; no honest writer creates them. */
const rejectOverlaps = (entries: LocatedEntry[], directoryStart: number): void => {
  const ordered = entries.toSorted(
    (one, other) => one.entry.relativeOffsetOfLocalHeader - other.entry.relativeOffsetOfLocalHeader,
  )
  for (const [index, { entry, name, start }] of ordered.entries()) {
    const limit = ordered[index + 1]?.entry.relativeOffsetOfLocalHeader ?? directoryStart
    if (start + entry.compressedSize > limit) throw brokenEntry(name, 'overlaps what follows it')
  }
}

/**
 * A zip archive in memory. Names are only keys: no entry ever becomes a file, so `../x` is harmless. yauzl parses the
 * structure; the bytes are inflated here, because yauzl checks no CRC and the caller needs the chunks one at a time.
 */
export class ZipArchive {
  readonly #bytes: Buffer
  readonly #entries = new Map<string, LocatedEntry>()

  constructor(bytes: Buffer, entries: LocatedEntry[]) {
    this.#bytes = bytes
    let uncompressed = 0
    let compressed = 0
    for (const located of entries) {
      if (this.#entries.has(located.name)) throw brokenEntry(located.name, 'exists twice')
      this.#entries.set(located.name, located)
      uncompressed += located.entry.uncompressedSize
      compressed += located.entry.compressedSize
    }
    rejectBomb(uncompressed, compressed)
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  get names(): Iterable<string> {
    return this.#entries.keys()
  }

  /** A whole entry. Use `chunks` for one that may be large. */
  async read(name: string): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this.chunks(name)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  /** An entry chunk by chunk. A wrong size or checksum fails after the last chunk. */
  async *chunks(name: string): AsyncGenerator<Uint8Array> {
    const { entry, compressed } = this.#open(name)
    let length = 0
    let crc = 0
    try {
      for await (const chunk of entry.compressionMethod === 0 ? slices(compressed) : inflated(compressed)) {
        length += chunk.length
        if (length > entry.uncompressedSize) throw brokenEntry(name, 'is longer than declared')
        crc = crc32(chunk, crc)
        yield chunk
      }
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
        throw brokenEntry(name, 'cannot be unpacked', error)
      throw error
    }
    if (length !== entry.uncompressedSize) throw brokenEntry(name, 'is shorter than declared')
    if (crc !== entry.crc32) throw brokenEntry(name, 'does not match its checksum')
  }

  #open(name: string): { entry: Entry; compressed: Buffer } {
    const located = this.#entries.get(name)
    if (!located) throw brokenEntry(name, 'is missing')
    const { entry, start } = located
    if (!entry.canDecodeFileData()) throw brokenEntry(name, 'uses an unsupported compression method')
    if (entry.compressionMethod === 0 && entry.uncompressedSize !== entry.compressedSize)
      throw brokenEntry(name, 'declares two different sizes')
    // A bomb in a large archive would pass the check of the total sizes.
    rejectBomb(entry.uncompressedSize, entry.compressedSize)
    return { entry, compressed: this.#bytes.subarray(start, start + entry.compressedSize) }
  }
}

function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize)
}

const inflated = (compressed: Buffer): AsyncIterable<Buffer> => {
  const stream = createInflateRaw({ chunkSize, finishFlush: constants.Z_FINISH })
  stream.end(compressed)
  return stream
}

/** Opens an archive and checks what its entries declare against each other and against the limits. */
export const openZip = async (bytes: Uint8Array): Promise<ZipArchive> => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  rejectCompoundFile(buffer)
  const archive = withoutSurroundingBytes(buffer)
  try {
    // Names stay undecoded and sizes unchecked: yauzl would reject the whole archive for an entry that is never read.
    const zip = await fromBufferPromise(archive, { decodeStrings: false, validateEntrySizes: false })
    if (zip.entryCount > limits.zipEntries)
      throw new DocumentFailure(
        'too_large',
        `The file has ${zip.entryCount} entries; the limit is ${limits.zipEntries}. Split it.`,
      )
    // Before the first entry is read, the cursor is at the directory. Its published type is wrong.
    const directoryStart = zip.readEntryCursor as unknown as number
    const entries = await locateEntries(zip)
    rejectOverlaps(entries, directoryStart)
    return new ZipArchive(archive, entries)
  } catch (error) {
    if (error instanceof DocumentFailure) throw error
    const message = error instanceof Error ? error.message : ''
    throw message.includes('encryption') ? encrypted() : brokenFile('its list of entries is invalid', error)
  }
}
