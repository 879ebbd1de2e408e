import { ByteWriter } from './byte-writer.ts'
import { writePosting } from './postings.ts'
import type { Segment, SegmentRange } from './segment.ts'
import { BlockWriter } from './segment-block.ts'
import { encodeHeader } from './segment-header.ts'

const grown = (array: Uint32Array): Uint32Array<ArrayBuffer> => {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}

/**
 * Turns the terms of chunks into a segment. Postings stay in flat arrays until the end, chained by term: an object
 * per posting would take ten times the memory.
 */
export class SegmentBuilder {
  readonly #numbers = new Map<string, number>()
  /** By term: its latest posting, and how many it has. */
  #latest = new Uint32Array(4096)
  #counts = new Uint32Array(4096)
  /** By posting: the chunk, how often, and the posting of the same term before it. Posting 0 means none. */
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
    const chunkCount = this.#lengths.length
    return {
      header: encodeHeader({
        ranges: [{ ...range, count: chunkCount }],
        lengths: Uint32Array.from(this.#lengths),
        firstTerms: writer.firstTerms,
      }),
      blocks: writer.blocks,
      chunkCount,
      termTotal: this.#lengths.reduce((sum, length) => sum + length, 0),
    }
  }
}
