import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import type { SegmentHeader } from './segment.ts'
import { termBytes, termText } from './term-bytes.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

function writeText(writer: ByteWriter, text: string): void {
  const bytes = encoder.encode(text)
  writer.varint(bytes.length)
  writer.append(bytes)
}

const readText = (reader: ByteReader): string => decoder.decode(reader.bytes(reader.varint()))

/** Not as UTF-8: a pair of characters may be cut out of the middle of a rare one. */
function writeTerm(writer: ByteWriter, term: string): void {
  const bytes = termBytes(term)
  writer.varint(bytes.length)
  writer.append(bytes)
}

const readTerm = (reader: ByteReader): string => termText(reader.bytes(reader.varint()))

export function encodeHeader(header: SegmentHeader): Uint8Array {
  const writer = new ByteWriter()
  writer.varint(header.ranges.length)
  for (const range of header.ranges) {
    writeText(writer, range.batchId)
    writer.varint(range.from)
    writer.varint(range.count)
  }
  for (const length of header.lengths) writer.varint(length)
  writer.varint(header.firstTerms.length)
  for (const term of header.firstTerms) writeTerm(writer, term)
  return writer.take()
}

export function decodeHeader(bytes: Uint8Array): SegmentHeader {
  const reader = new ByteReader(bytes)
  const ranges = Array.from({ length: reader.varint() }, () => ({
    batchId: readText(reader),
    from: reader.varint(),
    count: reader.varint(),
  }))
  const chunkCount = ranges.reduce((sum, range) => sum + range.count, 0)
  const lengths = Uint32Array.from({ length: chunkCount }, () => reader.varint())
  const firstTerms = Array.from({ length: reader.varint() }, () => readTerm(reader))
  return { ranges, lengths, firstTerms }
}
