import { crc32, deflateRawSync } from 'node:zlib'
import { zipSync } from 'fflate'

/** A zip archive as a real writer creates it. */
export const makeZip = (parts: Record<string, string | Uint8Array>): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(parts).map(([name, content]) => [
        name,
        typeof content === 'string' ? new Uint8Array(Buffer.from(content)) : content,
      ]),
    ),
  )

/** One entry as written to the file, possibly with wrong metadata. */
export interface RawPart {
  name: string
  content: Uint8Array
  method?: number
  flags?: number
  /** Writes ZIP64 sizes. */
  zip64?: boolean
  /** Wrong values for the central directory. */
  declared?: { size?: number; packedSize?: number; crc?: number; offset?: number }
}

const localHeader = (name: Buffer, method: number, packedSize: number, size: number, crc: number): Buffer => {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(method, 8)
  header.writeUInt32LE(crc, 14)
  header.writeUInt32LE(packedSize, 18)
  header.writeUInt32LE(size, 22)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name])
}

const directoryEntry = (part: RawPart, packed: Uint8Array, at: number): Buffer => {
  const { size, packedSize, crc, offset } = part.declared ?? {}
  const name = Buffer.from(part.name)
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(part.flags ?? 0, 8)
  header.writeUInt16LE(part.method ?? 8, 10)
  header.writeUInt32LE(crc ?? crc32(part.content), 16)
  header.writeUInt32LE(packedSize ?? packed.length, 20)
  header.writeUInt32LE(size ?? part.content.length, 24)
  header.writeUInt16LE(name.length, 28)
  header.writeUInt32LE(offset ?? at, 42)
  if (!part.zip64) return Buffer.concat([header, name])
  const extra = Buffer.alloc(20)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(16, 2)
  extra.writeBigUInt64LE(BigInt(header.readUInt32LE(24)), 4)
  extra.writeBigUInt64LE(BigInt(header.readUInt32LE(20)), 12)
  header.writeUInt32LE(0xffffffff, 20)
  header.writeUInt32LE(0xffffffff, 24)
  header.writeUInt16LE(extra.length, 30)
  return Buffer.concat([header, name, extra])
}

/** The ZIP64 end record and its locator. */
const end64 = (offset: number, size: number, count: number): Buffer => {
  const end = Buffer.alloc(76)
  end.writeUInt32LE(0x06064b50, 0)
  end.writeBigUInt64LE(44n, 4)
  end.writeBigUInt64LE(BigInt(count), 24)
  end.writeBigUInt64LE(BigInt(count), 32)
  end.writeBigUInt64LE(BigInt(size), 40)
  end.writeBigUInt64LE(BigInt(offset), 48)
  end.writeUInt32LE(0x07064b50, 56)
  end.writeBigUInt64LE(BigInt(offset + size), 64)
  return end
}

/** A zip archive with possibly wrong metadata. `count` is the declared number of entries. */
export const makeRawZip = (parts: RawPart[], count = parts.length): Uint8Array => {
  const chunks: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let at = 0
  for (const part of parts) {
    const method = part.method ?? 8
    const packed = method === 8 ? deflateRawSync(part.content) : part.content
    const name = Buffer.from(part.name)
    const header = localHeader(name, method, packed.length, part.content.length, crc32(part.content))
    directory.push(directoryEntry(part, packed, at))
    chunks.push(header, packed)
    at += header.length + packed.length
  }
  const size = directory.reduce((sum, entry) => sum + entry.length, 0)
  if (parts.some(({ zip64 }) => zip64)) directory.push(end64(at, size, count))
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(at, 16)
  return new Uint8Array(Buffer.concat([...chunks, ...directory, end]))
}

/** A document of a few kilobytes that unpacks to megabytes of spaces; `main` is the entry that is read. */
export const makeZipBomb = (main = 'word/document.xml', mebibytes = 8): Uint8Array =>
  makeRawZip([{ name: main, content: Buffer.alloc(mebibytes * 1024 * 1024, ' ') }])
