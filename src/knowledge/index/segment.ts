import { ByteReader, ByteWriter, termBytes, termText } from './bytes.ts'

/** Consecutive chunks of one batch in a segment. */
export interface SegmentRange {
  batchId: string
  /** Position of the first one within its document. */
  from: number
  count: number
}

/** The part of an immutable segment that is read before its postings. Chunks are numbered in the order of `ranges`. */
export interface SegmentHeader {
  ranges: SegmentRange[]
  lengths: Uint32Array
  firstTerms: string[]
}

/** A segment as stored: the header, and blocks of postings in term order. */
export interface Segment {
  header: Uint8Array
  blocks: Uint8Array[]
  chunkCount: number
  termTotal: number
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function encodeHeader(header: SegmentHeader): Uint8Array {
  const writer = new ByteWriter()
  writer.varint(header.ranges.length)
  for (const range of header.ranges) {
    writer.prefixed(encoder.encode(range.batchId))
    writer.varint(range.from)
    writer.varint(range.count)
  }
  for (const length of header.lengths) writer.varint(length)
  writer.varint(header.firstTerms.length)
  // Not UTF-8: a term of two UTF-16 units may be half of a surrogate pair.
  for (const term of header.firstTerms) writer.prefixed(termBytes(term))
  return writer.view().slice()
}

export function decodeHeader(bytes: Uint8Array): SegmentHeader {
  const reader = new ByteReader(bytes)
  const ranges = Array.from({ length: reader.varint() }, () => ({
    batchId: decoder.decode(reader.prefixed()),
    from: reader.varint(),
    count: reader.varint(),
  }))
  const chunkCount = ranges.reduce((sum, range) => sum + range.count, 0)
  const lengths = Uint32Array.from({ length: chunkCount }, () => reader.varint())
  const firstTerms = Array.from({ length: reader.varint() }, () => termText(reader.prefixed()))
  return { ranges, lengths, firstTerms }
}

/** The only block that can contain the term: the last one whose first term is not greater. */
export function blockOf(firstTerms: string[], term: string): number {
  let low = 0
  let high = firstTerms.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (firstTerms[middle]! <= term) low = middle + 1
    else high = middle - 1
  }
  return high
}
