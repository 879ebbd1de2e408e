import { ByteWriter } from './byte-writer.ts'
import { eachPosting, writePosting } from './postings.ts'
import type { Segment, SegmentHeader, SegmentRange } from './segment.ts'
import { BlockWriter, eachEntry, type TermEntry } from './segment-block.ts'
import { decodeHeader, encodeHeader } from './segment-header.ts'

const dropped = 0xffffffff

interface Source {
  header: SegmentHeader
  /** The new number of each chunk, or `dropped`. */
  numbers: Uint32Array
  entries: Iterator<TermEntry>
  current: TermEntry | undefined
}

function* entriesOf(blocks: Uint8Array[]): Generator<TermEntry> {
  for (const block of blocks) yield* eachEntry(block)
}

/** One segment out of several, without the chunks of batches that are gone. */
export function mergeSegments(
  segments: Pick<Segment, 'header' | 'blocks'>[],
  isGone: (batchId: string) => boolean,
): Segment {
  const ranges: SegmentRange[] = []
  const lengths: number[] = []
  const sources = segments.map(({ header: bytes, blocks }): Source => {
    const header = decodeHeader(bytes)
    const numbers = new Uint32Array(header.lengths.length)
    let chunk = 0
    for (const range of header.ranges) {
      const gone = isGone(range.batchId)
      if (!gone) ranges.push(range)
      for (const end = chunk + range.count; chunk < end; chunk++) {
        numbers[chunk] = gone ? dropped : lengths.length
        if (!gone) lengths.push(header.lengths[chunk]!)
      }
    }
    const entries = entriesOf(blocks)
    return { header, numbers, entries, current: entries.next().value as TermEntry | undefined }
  })
  const writer = new BlockWriter()
  const postings = new ByteWriter()
  for (let term = smallestTerm(sources); term !== undefined; term = smallestTerm(sources)) {
    postings.clear()
    let count = 0
    let previous = -1
    for (const source of sources) {
      if (source.current?.term !== term) continue
      const { bytes, from, to } = source.current
      eachPosting(bytes, from, to, (chunk, frequency) => {
        const number = source.numbers[chunk]!
        if (number === dropped) return
        writePosting(postings, number - previous, frequency)
        previous = number
        count++
      })
      source.current = source.entries.next().value as TermEntry | undefined
    }
    if (count > 0) writer.add(term, count, postings.view())
  }
  writer.finish()
  return {
    header: encodeHeader({ ranges, lengths: Uint32Array.from(lengths), firstTerms: writer.firstTerms }),
    blocks: writer.blocks,
    chunkCount: lengths.length,
    termTotal: lengths.reduce((sum, length) => sum + length, 0),
  }
}

function smallestTerm(sources: Source[]): string | undefined {
  let smallest: string | undefined
  for (const { current } of sources)
    if (current && (smallest === undefined || current.term < smallest)) smallest = current.term
  return smallest
}
