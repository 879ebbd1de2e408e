import { ByteReader, ByteWriter, termBytes, termText } from './bytes.ts'

/**
 * A posting names a chunk that contains the term, and how often. It is stored as the doubled distance from the previous
 * chunk; the lowest bit says that a count follows, since most terms occur once in a chunk.
 */
export function writePosting(writer: ByteWriter, distance: number, count: number): void {
  if (count === 1) writer.varint(distance * 2)
  else {
    writer.varint(distance * 2 + 1)
    writer.varint(count)
  }
}

/** Reads the postings of a term. One reader serves a whole term, because a common term has tens of thousands of postings. */
export class PostingReader {
  readonly #bytes: Uint8Array
  readonly #to: number
  #at: number
  chunk = -1
  count = 0

  constructor({ bytes, from, to }: Pick<TermEntry, 'bytes' | 'from' | 'to'>) {
    this.#bytes = bytes
    this.#at = from
    this.#to = to
  }

  /** Where the next posting begins. */
  get at(): number {
    return this.#at
  }

  /** Continues at a posting, given the chunk before it. */
  seek(at: number, chunk: number): void {
    this.#at = at
    this.chunk = chunk
  }

  /** False at the end. */
  next(): boolean {
    if (this.#at >= this.#to) return false
    const value = this.#varint()
    this.chunk += value >>> 1
    this.count = (value & 1) === 1 ? this.#varint() : 1
    return true
  }

  #varint(): number {
    let byte = this.#bytes[this.#at++]!
    let value = byte & 0x7f
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = this.#bytes[this.#at++]!
      value |= (byte & 0x7f) << shift
    }
    return value
  }
}

/** A block is closed at this size; one term with many postings can exceed it. */
const blockBytes = 24 << 10
/** Entries start within the range of a 16-bit offset. */
const lastOffset = 0xffff

/** Packs terms, given in ascending order, into blocks. */
export class BlockWriter {
  readonly #entries = new ByteWriter(blockBytes * 2)
  #offsets: number[] = []
  #firstTerm = ''
  readonly firstTerms: string[] = []
  readonly blocks: Uint8Array[] = []

  add(term: string, chunkCount: number, postings: Uint8Array): void {
    if (this.#entries.length >= blockBytes || this.#entries.length > lastOffset) this.#close()
    if (this.#offsets.length === 0) this.#firstTerm = term
    this.#offsets.push(this.#entries.length)
    this.#entries.prefixed(termBytes(term))
    this.#entries.varint(chunkCount)
    this.#entries.append(postings)
  }

  finish(): void {
    if (this.#offsets.length > 0) this.#close()
  }

  #close(): void {
    const count = this.#offsets.length
    const block = Buffer.alloc(2 + count * 2 + this.#entries.length)
    block.writeUInt16LE(count, 0)
    for (const [index, offset] of this.#offsets.entries()) block.writeUInt16LE(offset, 2 + index * 2)
    block.set(this.#entries.view(), 2 + count * 2)
    this.blocks.push(block)
    this.firstTerms.push(this.#firstTerm)
    this.#entries.clear()
    this.#offsets = []
  }
}

export interface TermEntry {
  term: string
  chunkCount: number
  bytes: Uint8Array
  /** Start and end of the postings in `bytes`. */
  from: number
  to: number
}

const offsetAt = (block: Uint8Array, index: number): number =>
  block[2 + index * 2]! | (block[3 + index * 2]! << 8)

function entryAt(block: Uint8Array, index: number, count: number): TermEntry {
  const base = 2 + count * 2
  const reader = new ByteReader(block, base + offsetAt(block, index))
  const term = termText(reader.prefixed())
  const chunkCount = reader.varint()
  const to = index + 1 < count ? base + offsetAt(block, index + 1) : block.length
  return { term, chunkCount, bytes: block, from: reader.at, to }
}

export function* eachEntry(block: Uint8Array): Generator<TermEntry> {
  const count = block[0]! | (block[1]! << 8)
  for (let index = 0; index < count; index++) yield entryAt(block, index, count)
}

/** The entries whose terms, given by their bytes in the block, pass a test. */
export function entriesWhere(
  block: Uint8Array,
  passes: (at: number, length: number) => boolean,
): TermEntry[] {
  const count = block[0]! | (block[1]! << 8)
  const base = 2 + count * 2
  const found: TermEntry[] = []
  for (let index = 0; index < count; index++) {
    let at = base + offsetAt(block, index)
    let length = block[at++]!
    if (length >= 0x80) length = (length & 0x7f) | (block[at++]! << 7)
    if (passes(at, length)) found.push(entryAt(block, index, count))
  }
  return found
}

/** Terms are short and mostly differ in their first bytes, so a call of Buffer.compare would take longer. */
function compareBytes(wanted: Uint8Array, block: Uint8Array, from: number, length: number): number {
  const shorter = Math.min(wanted.length, length)
  for (let at = 0; at < shorter; at++) {
    const difference = wanted[at]! - block[from + at]!
    if (difference !== 0) return difference
  }
  return wanted.length - length
}

export function findEntry(block: Uint8Array, wanted: Uint8Array): TermEntry | undefined {
  const count = block[0]! | (block[1]! << 8)
  const base = 2 + count * 2
  let low = 0
  let high = count - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    let at = base + offsetAt(block, middle)
    // A term is at most 64 characters long, so its length takes one or two bytes.
    let length = block[at++]!
    if (length >= 0x80) length = (length & 0x7f) | (block[at++]! << 7)
    const order = compareBytes(wanted, block, at, length)
    if (order === 0) return entryAt(block, middle, count)
    if (order > 0) low = middle + 1
    else high = middle - 1
  }
  return undefined
}
