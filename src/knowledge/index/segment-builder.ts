import { ByteWriter } from './bytes.ts'
import { BlockWriter, eachEntry, PostingReader, type TermEntry, writePosting } from './postings.ts'
import { decodeHeader, encodeHeader, type Segment, type SegmentRange } from './segment.ts'

const grown = (array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> =>
  new Uint32Array(array.buffer.transfer(array.byteLength * 2))

/**
 * Builds a segment from the terms of chunks. Postings are kept in flat arrays, linked by term: an object per posting
 * would take ten times the memory.
 */
export class SegmentBuilder {
  readonly #numbers = new Map<string, number>()
  /** By term: its latest posting, and the number of its postings. */
  #latest = new Uint32Array(4096)
  #counts = new Uint32Array(4096)
  /** By posting: the chunk, the frequency, and the previous posting of the same term (0: none). */
  #chunks = new Uint32Array(16_384)
  #frequencies = new Uint32Array(16_384)
  #before = new Uint32Array(16_384)
  #size = 1
  readonly #lengths: number[] = []

  get chunkCount(): number {
    return this.#lengths.length
  }

  add(terms: string[]): void {
    const chunk = this.#lengths.length
    this.#lengths.push(terms.length)
    for (const term of terms) this.#addTerm(term, chunk)
  }

  #addTerm(term: string, chunk: number): void {
    let number = this.#numbers.get(term)
    if (number === undefined) {
      number = this.#numbers.size
      this.#numbers.set(term, number)
      if (number === this.#latest.length) {
        this.#latest = grown(this.#latest)
        this.#counts = grown(this.#counts)
      }
    }
    const latest = this.#latest[number]!
    if (latest !== 0 && this.#chunks[latest] === chunk) {
      this.#frequencies[latest]!++
      return
    }
    if (this.#size === this.#chunks.length) {
      this.#chunks = grown(this.#chunks)
      this.#frequencies = grown(this.#frequencies)
      this.#before = grown(this.#before)
    }
    const posting = this.#size++
    this.#chunks[posting] = chunk
    this.#frequencies[posting] = 1
    this.#before[posting] = latest
    this.#latest[number] = posting
    this.#counts[number]!++
  }

  finish(range: Omit<SegmentRange, 'count'>): Segment {
    const writer = new BlockWriter()
    const postings = new ByteWriter()
    let order = new Uint32Array(256)
    for (const term of [...this.#numbers.keys()].sort()) {
      const number = this.#numbers.get(term)!
      const count = this.#counts[number]!
      if (count > order.length) order = new Uint32Array(count * 2)
      let posting = this.#latest[number]!
      for (let at = count - 1; at >= 0; at--) {
        order[at] = posting
        posting = this.#before[posting]!
      }
      postings.clear()
      let previous = -1
      for (let at = 0; at < count; at++) {
        const chunk = this.#chunks[order[at]!]!
        writePosting(postings, chunk - previous, this.#frequencies[order[at]!]!)
        previous = chunk
      }
      writer.add(term, count, postings.view())
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
