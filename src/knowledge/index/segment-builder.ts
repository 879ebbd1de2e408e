import { ByteWriter } from './bytes.ts'
import { BlockWriter, eachEntry, PostingReader, type TermEntry, writePosting } from './postings.ts'
import { decodeHeader, encodeHeader, type Segment, type SegmentRange } from './segment.ts'

/** A length above that of any chunk of text, in terms. */
const menuLength = 16_384
const usualLength = 256

/** Builds a segment from the terms of chunks, which it keeps as numbers: an array per term would take twice the memory. */
export class SegmentBuilder {
  /** Terms in the order of their first occurrence. */
  readonly #numbers = new Map<string, number>()
  /** The terms of all chunks, one after the other. */
  #terms = new Uint32Array(16_384)
  #size = 0
  /** The number of terms of each chunk, and the length by which it is scored. */
  readonly #counts: number[] = []
  readonly #lengths: number[] = []

  get chunkCount(): number {
    return this.#lengths.length
  }

  /** Menus are scored as if they were very long, so that text with the same words comes first. */
  add(terms: string[], isMenu = false): void {
    this.#counts.push(terms.length)
    this.#lengths.push(isMenu ? menuLength : terms.length)
    while (this.#size + terms.length > this.#terms.length)
      this.#terms = new Uint32Array(this.#terms.buffer.transfer(this.#terms.byteLength * 2))
    for (const term of terms) {
      let number = this.#numbers.get(term)
      if (number === undefined) {
        number = this.#numbers.size
        this.#numbers.set(term, number)
      }
      this.#terms[this.#size++] = number
    }
  }

  /** All chunks are of one batch. */
  finish(range: Omit<SegmentRange, 'count'>): Segment {
    return this.finishAll([{ ...range, count: this.chunkCount }])
  }

  /** The ranges cover the chunks in the order in which they were added. */
  finishAll(ranges: SegmentRange[]): Segment {
    const { chunks, ends } = this.#sortByTerm()
    const writer = new BlockWriter()
    const bytes = new ByteWriter()
    for (const term of [...this.#numbers.keys()].sort()) {
      const number = this.#numbers.get(term)!
      const end = ends[number]!
      bytes.clear()
      let count = 0
      let previous = -1
      for (let at = number === 0 ? 0 : ends[number - 1]!; at < end; count++) {
        const chunk = chunks[at]!
        const first = at
        while (at < end && chunks[at] === chunk) at++
        writePosting(bytes, chunk - previous, at - first)
        previous = chunk
      }
      writer.add(term, count, bytes.view())
    }
    writer.finish()
    return segmentOf(ranges, this.#lengths, writer)
  }

  /** A counting sort: the chunks of term 0 in order, once for each occurrence, then those of term 1, and so on. */
  #sortByTerm(): { chunks: Uint32Array; ends: Uint32Array } {
    const ends = new Uint32Array(this.#numbers.size)
    for (let at = 0; at < this.#size; at++) ends[this.#terms[at]!]!++
    let start = 0
    for (let number = 0; number < ends.length; number++) {
      const count = ends[number]!
      ends[number] = start
      start += count
    }
    const chunks = new Uint32Array(this.#size)
    let at = 0
    for (const [chunk, count] of this.#counts.entries())
      for (const end = at + count; at < end; at++) chunks[ends[this.#terms[at]!]!++] = chunk
    return { chunks, ends }
  }
}

const segmentOf = (ranges: SegmentRange[], lengths: number[], writer: BlockWriter): Segment => ({
  header: encodeHeader({ ranges, lengths: Uint32Array.from(lengths), firstTerms: writer.firstTerms }),
  blocks: writer.blocks,
  chunkCount: lengths.length,
  // Menus must not raise the average length.
  termTotal: lengths.reduce((sum, length) => sum + (length === menuLength ? usualLength : length), 0),
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
