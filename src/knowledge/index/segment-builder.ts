import { ByteWriter } from './bytes.ts'
import { BlockWriter, eachEntry, PostingReader, type TermEntry, writePosting } from './postings.ts'
import { decodeHeader, encodeHeader, type Segment, type SegmentRange } from './segment.ts'

/** Builds a segment from the terms of chunks. */
export class SegmentBuilder {
  /** Of each term: the number of each chunk that contains it, followed by how often. */
  readonly #postings = new Map<string, number[]>()
  readonly #lengths: number[] = []

  get chunkCount(): number {
    return this.#lengths.length
  }

  add(terms: string[]): void {
    const chunk = this.#lengths.length
    this.#lengths.push(terms.length)
    for (const term of terms) {
      const postings = this.#postings.get(term)
      if (!postings) this.#postings.set(term, [chunk, 1])
      else if (postings.at(-2) === chunk) postings[postings.length - 1]!++
      else postings.push(chunk, 1)
    }
  }

  finish(range: Omit<SegmentRange, 'count'>): Segment {
    const writer = new BlockWriter()
    const bytes = new ByteWriter()
    for (const term of [...this.#postings.keys()].sort()) {
      const postings = this.#postings.get(term)!
      bytes.clear()
      let previous = -1
      for (let at = 0; at < postings.length; at += 2) {
        writePosting(bytes, postings[at]! - previous, postings[at + 1]!)
        previous = postings[at]!
      }
      writer.add(term, postings.length / 2, bytes.view())
    }
    writer.finish()
    return segmentOf([{ ...range, count: this.#lengths.length }], this.#lengths, writer)
  }
}

const segmentOf = (ranges: SegmentRange[], lengths: number[], writer: BlockWriter): Segment => ({
  header: encodeHeader({ ranges, lengths: Uint32Array.from(lengths), firstTerms: writer.firstTerms }),
  blocks: writer.blocks,
  chunkCount: lengths.length,
  termTotal: lengths.reduce((sum, length) => sum + length, 0),
})

const dropped = 0xffffffff

interface Source {
  /** The new number of each chunk, or `dropped`. */
  numbers: Uint32Array
  entries: Iterator<TermEntry, undefined>
  current: TermEntry | undefined
}

function* entriesOf(blocks: Uint8Array[]): Generator<TermEntry, undefined> {
  for (const block of blocks) yield* eachEntry(block)
}

/** Merges segments into one, without the chunks of deleted batches. */
export function mergeSegments(
  segments: Pick<Segment, 'header' | 'blocks'>[],
  isDeleted: (batchId: string) => boolean,
): Segment {
  const ranges: SegmentRange[] = []
  const lengths: number[] = []
  const sources = segments.map(({ header: bytes, blocks }): Source => {
    const header = decodeHeader(bytes)
    const numbers = new Uint32Array(header.lengths.length)
    let chunk = 0
    for (const range of header.ranges) {
      const deleted = isDeleted(range.batchId)
      if (!deleted) ranges.push(range)
      for (const end = chunk + range.count; chunk < end; chunk++) {
        numbers[chunk] = deleted ? dropped : lengths.length
        if (!deleted) lengths.push(header.lengths[chunk]!)
      }
    }
    const entries = entriesOf(blocks)
    return { numbers, entries, current: entries.next().value }
  })
  const writer = new BlockWriter()
  const postings = new ByteWriter()
  for (let term = smallestTerm(sources); term !== undefined; term = smallestTerm(sources)) {
    postings.clear()
    let count = 0
    let previous = -1
    for (const source of sources) {
      if (source.current?.term !== term) continue
      const reader = new PostingReader(source.current)
      while (reader.next()) {
        const number = source.numbers[reader.chunk]!
        if (number === dropped) continue
        writePosting(postings, number - previous, reader.count)
        previous = number
        count++
      }
      source.current = source.entries.next().value
    }
    if (count > 0) writer.add(term, count, postings.view())
  }
  writer.finish()
  return segmentOf(ranges, lengths, writer)
}

function smallestTerm(sources: Source[]): string | undefined {
  let smallest: string | undefined
  for (const { current } of sources)
    if (current && (smallest === undefined || current.term < smallest)) smallest = current.term
  return smallest
}
