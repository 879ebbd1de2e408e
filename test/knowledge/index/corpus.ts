import type { KeywordHit, KeywordPlace } from '../../../src/knowledge/index/keyword-index.ts'
import type { Segment } from '../../../src/knowledge/index/segment.ts'
import { SegmentBuilder } from '../../../src/knowledge/index/segment-builder.ts'
import type { BlockAddress, SegmentEntry, SegmentSource } from '../../../src/knowledge/index/segment-store.ts'
import type { QueryTerms } from '../../../src/knowledge/text/query-terms.ts'

/** A document as the index receives it: the terms of each of its chunks. */
export interface Batch {
  batchId: string
  chunks: string[][]
}

export function buildSegment({ batchId, chunks }: Batch, from = 0): Segment {
  const builder = new SegmentBuilder()
  for (const terms of chunks) builder.add(terms)
  return builder.finish({ batchId, from })
}

/** Segments in memory that count their reads. */
export class MemorySegments implements SegmentSource {
  readonly stored = new Map<string, Segment>()
  headersRead = 0
  blocksRead = 0

  constructor(segments: Segment[] = []) {
    for (const [index, segment] of segments.entries()) this.stored.set(`s${index}`, segment)
  }

  async segments(): Promise<SegmentEntry[]> {
    return [...this.stored].map(([id, { chunkCount, termTotal }]) => ({ id, chunkCount, termTotal }))
  }

  async headers(_: string, ids: string[]): Promise<Map<string, Uint8Array>> {
    this.headersRead += ids.length
    return new Map(
      ids.flatMap(id => {
        const segment = this.stored.get(id)
        return segment ? [[id, segment.header] as const] : []
      }),
    )
  }

  async blocks(_: string, addresses: BlockAddress[]): Promise<(Uint8Array | undefined)[]> {
    this.blocksRead += addresses.length
    return addresses.map(({ segmentId, ordinal }) => this.stored.get(segmentId)?.blocks[ordinal])
  }
}

/** A hit without its place in the index. */
export type ScoredChunk = Omit<KeywordHit, keyof KeywordPlace>

/** Terms that all count the same. */
export const alike = (terms: string[]): QueryTerms =>
  new Map(terms.map(term => [term, { factor: 1, unknownFactor: 1 }]))

/** Textbook BM25 with presence over all chunks, the best first. */
export function bruteForce(batches: Batch[], question: QueryTerms): ScoredChunk[] {
  const chunks = batches.flatMap(({ batchId, chunks: all }) =>
    all.map((terms, position) => ({ batchId, position, terms })),
  )
  const average = chunks.reduce((sum, { terms }) => sum + terms.length, 0) / (chunks.length || 1)
  const weights = new Map<string, number>()
  for (const [term, { factor }] of question) {
    const holding = chunks.filter(({ terms }) => terms.includes(term)).length
    const weight = Math.log(1 + (chunks.length - holding + 0.5) / (holding + 0.5)) * 2.2
    if (holding > 0) weights.set(term, weight * factor)
  }
  // A term that occurs nowhere counts as the rarest, in a base of 200 chunks more.
  let [share, known] = [0, 0]
  for (const [term, { factor, unknownFactor }] of question) {
    const holding = chunks.filter(({ terms }) => terms.includes(term)).length
    const rarity = Math.log(1 + (chunks.length + 200 - holding + 0.5) / (holding + 0.5))
    const weight = rarity * (holding > 0 ? factor : unknownFactor)
    share += weight
    if (holding > 0) known += weight
  }
  const maxScore = ([...weights.values()].reduce((sum, weight) => sum + weight, 0) * share) / known
  return chunks
    .map(({ batchId, position, terms }) => {
      let score = 0
      for (const [term, weight] of weights) {
        const count = terms.filter(each => each === term).length
        if (count === 0) continue
        const { presence = 0 } = question.get(term)!
        const share = count / (count + 1.2 * (0.25 + (0.75 * terms.length) / average))
        score += weight * (presence + (1 - 1.5 * presence) * share)
      }
      return { batchId, position, score: Math.sqrt(Math.min(1, score / maxScore)) }
    })
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
}
