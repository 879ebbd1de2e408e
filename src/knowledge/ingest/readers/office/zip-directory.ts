import { DocumentFailure } from '../../document-failure.ts'

export interface ZipEntry {
  name: string
  method: number
  crc: number
  packedSize: number
  size: number
  /** Where the packed bytes begin. */
  start: number
}

const maxEntries = 10_000
const endLength = 22
const endSignature = 0x06054b50
const end64Signature = 0x06064b50
const locator64Signature = 0x07064b50
const centralSignature = 0x02014b50
const localSignature = 0x04034b50

const broken = (what: string): DocumentFailure =>
  new DocumentFailure('broken_file', `The file is damaged: ${what}. Save or upload it again.`)

/** The end record may be followed by a comment of up to 65,535 bytes. */
const findEnd = (bytes: Buffer): number => {
  const from = bytes.length - endLength
  for (let at = from; at >= 0 && at >= from - 0xffff; at--)
    if (bytes.readUInt32LE(at) === endSignature) return at
  throw broken('the list of its parts is missing')
}

const readBig = (bytes: Buffer, at: number): number => {
  const value = bytes.readBigUInt64LE(at)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw broken('it declares sizes that cannot be')
  return Number(value)
}

interface Directory {
  count: number
  size: number
  offset: number
  /** Where the directory must have ended. */
  end: number
}

const readDirectory64 = (bytes: Buffer, end: number): Directory | undefined => {
  const locator = end - 20
  if (locator < 0 || bytes.readUInt32LE(locator) !== locator64Signature) return undefined
  const at = readBig(bytes, locator + 8)
  if (at + 56 > locator || bytes.readUInt32LE(at) !== end64Signature)
    throw broken('the list of its parts is cut off')
  return {
    count: readBig(bytes, at + 32),
    size: readBig(bytes, at + 40),
    offset: readBig(bytes, at + 48),
    end: at,
  }
}

const readDirectory = (bytes: Buffer): Directory => {
  const end = findEnd(bytes)
  return (
    readDirectory64(bytes, end) ?? {
      count: bytes.readUInt16LE(end + 10),
      size: bytes.readUInt32LE(end + 12),
      offset: bytes.readUInt32LE(end + 16),
      end,
    }
  )
}

/** Sizes that do not fit 32 bits stand in an extra field, in a fixed order and only those that do not fit. */
const read64 = (extra: Buffer, declared: number[]): number[] => {
  if (!declared.includes(0xffffffff)) return declared
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    let next = at + 4
    return declared.map(value => {
      if (value !== 0xffffffff) return value
      if (next + 8 > extra.length) throw broken('a part has no size')
      next += 8
      return readBig(extra, next - 8)
    })
  }
  return declared
}

/** Where the packed bytes begin: the header before them has a length of its own. */
const findStart = (bytes: Buffer, header: number, name: string): number => {
  if (header < 0 || header + 30 > bytes.length || bytes.readUInt32LE(header) !== localSignature)
    throw broken(`its part "${name}" is not where it should be`)
  return header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28)
}

interface Located {
  entry: ZipEntry
  header: number
  next: number
}

const readEntry = (bytes: Buffer, at: number, shift: number, limit: number): Located => {
  if (at + 46 > limit || bytes.readUInt32LE(at) !== centralSignature)
    throw broken('the list of its parts is cut off')
  const nameEnd = at + 46 + bytes.readUInt16LE(at + 28)
  const extraEnd = nameEnd + bytes.readUInt16LE(at + 30)
  const next = extraEnd + bytes.readUInt16LE(at + 32)
  if (next > limit) throw broken('the list of its parts is cut off')
  // Some writers on Windows put backslashes where the format asks for slashes.
  const name = bytes.toString('utf8', at + 46, nameEnd).replaceAll('\\', '/')
  if (bytes.readUInt16LE(at + 8) & 1)
    throw new DocumentFailure('encrypted', 'The file is protected with a password. Upload it without one.')
  const declared = [24, 20, 42].map(place => bytes.readUInt32LE(at + place))
  const [size = 0, packedSize = 0, offset = 0] = read64(bytes.subarray(nameEnd, extraEnd), declared)
  const header = offset + shift
  const start = findStart(bytes, header, name)
  const method = bytes.readUInt16LE(at + 10)
  return { entry: { name, method, crc: bytes.readUInt32LE(at + 16), packedSize, size, start }, header, next }
}

/** Parts that share bytes are how a small file unpacks to a huge one; no honest writer makes them. */
const refuseOverlaps = (found: Located[], limit: number): void => {
  const ordered = found.toSorted((one, other) => one.header - other.header)
  for (const [index, { entry }] of ordered.entries()) {
    const end = entry.start + entry.packedSize
    if (end > (ordered[index + 1]?.header ?? limit))
      throw broken(`its part "${entry.name}" reaches into what follows it`)
  }
}

/** The parts that the archive lists, checked against each other and against the file, not yet unpacked. */
export const readZipDirectory = (bytes: Buffer): ZipEntry[] => {
  const directory = readDirectory(bytes)
  if (directory.count > maxEntries)
    throw new DocumentFailure(
      'too_large',
      `The file has ${directory.count} parts, more than the ${maxEntries} that are allowed.`,
    )
  const begin = directory.end - directory.size
  // Bytes before the archive move everything; the end of the directory is the fixed point.
  const shift = begin - directory.offset
  if (begin < 0 || shift < 0) throw broken('the list of its parts is not where it should be')
  const found: Located[] = []
  for (let at = begin; found.length < directory.count; ) {
    const located = readEntry(bytes, at, shift, directory.end)
    found.push(located)
    at = located.next
  }
  refuseOverlaps(found, begin)
  return found.map(({ entry }) => entry)
}
