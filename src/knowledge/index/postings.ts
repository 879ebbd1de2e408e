import type { ByteWriter } from './byte-writer.ts'

/**
 * The chunks that hold a term, in rising order, each with how often. Written as the distance from the one before,
 * doubled; the odd bit says that a count follows, since most terms stand once in a chunk.
 */
export function writePosting(writer: ByteWriter, distance: number, count: number): void {
  if (count === 1) writer.varint(distance * 2)
  else {
    writer.varint(distance * 2 + 1)
    writer.varint(count)
  }
}

/**
 * Calls `visit` for each posting. Written out flat, without a reader object: a common term has tens of thousands of
 * them, and this loop is what a search spends its time in.
 */
export function eachPosting(
  bytes: Uint8Array,
  from: number,
  to: number,
  visit: (chunk: number, count: number) => void,
): void {
  let chunk = -1
  let at = from
  while (at < to) {
    let byte = bytes[at++]!
    let value = byte & 0x7f
    let shift = 7
    while (byte >= 0x80) {
      byte = bytes[at++]!
      value |= (byte & 0x7f) << shift
      shift += 7
    }
    chunk += value >>> 1
    let count = 1
    if ((value & 1) === 1) {
      byte = bytes[at++]!
      count = byte & 0x7f
      shift = 7
      while (byte >= 0x80) {
        byte = bytes[at++]!
        count |= (byte & 0x7f) << shift
        shift += 7
      }
    }
    visit(chunk, count)
  }
}
