import { damagedArchive } from './archive-format.ts'

/** Headers of plain tar files, written here because an archive is read at any position and verified. */
export const blockBytes = 512

export interface TarEntry {
  name: string
  size: number
}

const nameBytes = 100
const sizeAt = 124
const sizeBytes = 12
const checksumAt = 148
const checksumBytes = 8
const typeAt = 156
const prefixAt = 345
const regularFile = '0'.charCodeAt(0)
/** The limit of eleven octal digits (8 GiB); larger sizes are written in binary, as GNU tar does. */
const octalLimit = 8 ** 11

export const paddingOf = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

/** The sum of all bytes, with the checksum's own field counted as spaces. */
function checksumOf(block: Buffer): number {
  let sum = checksumBytes * 32
  for (let at = 0; at < blockBytes; at++)
    if (at < checksumAt || at >= checksumAt + checksumBytes) sum += block[at]!
  return sum
}

export function encodeHeader({ name, size }: TarEntry, modifiedAt: number): Buffer {
  if (!/^[\x21-\x7e]+$/.test(name) || name.length > nameBytes) throw new Error(`Invalid entry name: ${name}`)
  const block = Buffer.alloc(blockBytes)
  block.write(name, 0, 'latin1')
  block.write('0000600\0' + '0000000\0' + '0000000\0', nameBytes, 'latin1')
  if (size < octalLimit) block.write(`${octal(size, 11)}\0`, sizeAt, 'latin1')
  else {
    block[sizeAt] = 0x80
    block.writeBigUInt64BE(BigInt(size), sizeAt + sizeBytes - 8)
  }
  block.write(`${octal(Math.floor(modifiedAt / 1000), 11)}\0`, 136, 'latin1')
  block[typeAt] = regularFile
  block.write('ustar\0' + '00', 257, 'latin1')
  block.write(`${octal(checksumOf(block), 6)}\0 `, checksumAt, 'latin1')
  return block
}

const textOf = (field: Buffer): string => {
  const end = field.indexOf(0)
  return field.toString('latin1', 0, end === -1 ? field.length : end)
}

function sizeOf(field: Buffer): number {
  if (field[0] === 0x80) return Number(field.readBigUInt64BE(sizeBytes - 8))
  const digits = textOf(field).trim()
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN
}

/** `undefined` is the empty block that ends an archive. Anything but a plain file is refused. */
export function decodeHeader(block: Buffer): TarEntry | undefined {
  if (block.every(byte => byte === 0)) return undefined
  const field = block.subarray(checksumAt, checksumAt + checksumBytes)
  if (Number.parseInt(textOf(field).trim(), 8) !== checksumOf(block))
    throw damagedArchive('it is not a backup, or it is damaged')
  const name = textOf(block.subarray(0, nameBytes))
  const size = sizeOf(block.subarray(sizeAt, sizeAt + sizeBytes))
  const isPlain = (block[typeAt] === regularFile || block[typeAt] === 0) && block[prefixAt] === 0
  if (!isPlain || !Number.isSafeInteger(size))
    throw damagedArchive(`it contains an unexpected entry ${JSON.stringify(name)}`)
  return { name, size }
}
