import { AppError } from '../../kernel/app-error.ts'
import { TopScores } from '../../kernel/top-scores.ts'
import { functionWords } from '../text/text-terms.ts'
import { termBytes } from './bytes.ts'
import { findEntry, PostingReader, type TermEntry } from './postings.ts'
import type { CachedSegment, SegmentCache } from './segment-cache.ts'
import type { BlockAddress, SegmentEntry, SegmentSource } from './segment-store.ts'

/** The usual constants of BM25. */
const saturation = 1.2
const lengthWeight = 0.75
/** A long query is scored by its rarest terms. */
const maxTerms = 64
const maxLookups = 512
const functionWordWeight = 0.2
/** Attempts while merges replace segments during a search. */
const maxAttempts = 8

export interface KeywordHit {
  batchId: string
  position: number
  /** 0 to 1: the square root of the share of the score of a chunk full of all the terms. */
  score: number
}

export interface WeighedTerm {
  term: string
  /** Chunks that contain it; recently deleted ones may still count. */
  chunkCount: number
  weight: number
}

export interface KeywordResult {
  hits: KeywordHit[]
  /** The scored terms, rarest first. */
  terms: WeighedTerm[]
}

interface Read {
  segments: { entry: SegmentEntry; cached: CachedSegment }[]
  lookups: Lookup[]
}

interface Lookup extends WeighedTerm {
  /** By segment. */
  entries: (TermEntry | undefined)[]
}

/** BM25 over the segments of a generation. */
export class KeywordIndex {
  readonly #source: SegmentSource
  readonly #cache: SegmentCache
  #scores = new Float32Array(4096)

  constructor(source: SegmentSource, cache: SegmentCache) {
    this.#source = source
    this.#cache = cache
  }

  async search(
    workspaceId: string,
    generationId: string,
    queryTerms: string[],
    limit: number,
    isAllowed?: (batchId: string) => boolean,
  ): Promise<KeywordResult> {
    const terms = [...new Set(queryTerms)].slice(0, maxLookups)
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const read = await this.#read(workspaceId, generationId, terms)
      if (read) return this.#rank(read, limit, isAllowed)
    }
    throw new AppError('unavailable', 'The keyword index is being reorganised. Try again.')
  }

  /** Undefined when a segment was merged meanwhile: the new list covers its chunks. */
  async #read(workspaceId: string, generationId: string, terms: string[]): Promise<Read | undefined> {
    const listed = await this.#source.segments(workspaceId, generationId)
    const headers = await this.#cache.headers(
      workspaceId,
      listed.map(segment => segment.id),
    )
    if (headers.size < listed.length) return undefined
    const segments = listed.map(entry => ({ entry, cached: headers.get(entry.id)! }))
    const lookups = await this.#lookUp(workspaceId, segments, terms)
    return lookups && { segments, lookups }
  }

  #rank(
    { segments, lookups }: Read,
    limit: number,
    isAllowed: ((batchId: string) => boolean) | undefined,
  ): KeywordResult {
    const listed = segments.map(({ entry }) => entry)
    const chunkTotal = listed.reduce((sum, segment) => sum + segment.chunkCount, 0)
    const averageLength = listed.reduce((sum, segment) => sum + segment.termTotal, 0) / (chunkTotal || 1)
    for (const lookup of lookups) {
      const { chunkCount } = lookup
      lookup.weight = Math.log(1 + (chunkTotal - chunkCount + 0.5) / (chunkCount + 0.5)) * (saturation + 1)
      if (functionWords.has(lookup.term)) lookup.weight *= functionWordWeight
    }
    lookups.sort((left, right) => right.weight - left.weight)
    const known = lookups.filter(lookup => lookup.chunkCount > 0)
    const deciding = known.slice(0, maxTerms)
    // An unknown word lowers all scores as much as an average known one: something is missing, but in a small base,
    // where every known word is common, it must not outweigh what was found.
    const knownWeight = known.reduce((sum, lookup) => sum + lookup.weight, 0)
    const highest = (knownWeight * lookups.length) / (known.length || 1)

    const top = new TopScores<Omit<KeywordHit, 'score'>>(limit, 0)
    for (const [index, { cached }] of segments.entries())
      this.#scoreSegment(cached, index, deciding, averageLength, top, isAllowed)
    return {
      hits: top
        .best()
        .map(({ item, score }) => ({ ...item, score: Math.sqrt(Math.min(1, score / highest)) })),
      terms: deciding.map(({ term, chunkCount, weight }) => ({ term, chunkCount, weight })),
    }
  }

  /** Undefined when a segment was merged meanwhile. */
  async #lookUp(
    workspaceId: string,
    segments: { entry: SegmentEntry; cached: CachedSegment }[],
    terms: string[],
  ): Promise<Lookup[] | undefined> {
    const wanted = new Map<string, BlockAddress>()
    const places = terms.map(term =>
      segments.map(({ entry, cached }) => {
        const ordinal = blockOf(cached.header.firstTerms, term)
        if (ordinal < 0) return undefined
        const key = `${entry.id}/${ordinal}`
        wanted.set(key, { segmentId: entry.id, ordinal })
        return key
      }),
    )
    const keys = [...wanted.keys()]
    const read = await this.#cache.blocks(workspaceId, [...wanted.values()])
    if (read.includes(undefined)) return undefined
    const blocks = new Map(keys.map((key, index) => [key, read[index]!]))
    return terms.map((term, at) => {
      const bytes = termBytes(term)
      const entries = places[at]!.map(key =>
        key === undefined ? undefined : findEntry(blocks.get(key)!, bytes),
      )
      const chunkCount = entries.reduce((sum, entry) => sum + (entry?.chunkCount ?? 0), 0)
      return { term, chunkCount, weight: 0, entries }
    })
  }

  #scoreSegment(
    segment: CachedSegment,
    index: number,
    lookups: Lookup[],
    averageLength: number,
    top: TopScores<Omit<KeywordHit, 'score'>>,
    isAllowed: ((batchId: string) => boolean) | undefined,
  ): void {
    const { lengths, ranges } = segment.header
    if (this.#scores.length < lengths.length) this.#scores = new Float32Array(lengths.length)
    const scores = this.#scores.subarray(0, lengths.length).fill(0)
    setNorms(segment, averageLength)
    for (const { entries, weight } of lookups) {
      const entry = entries[index]
      if (!entry) continue
      const reader = new PostingReader(entry)
      while (reader.next())
        scores[reader.chunk]! += (weight * reader.count) / (reader.count + segment.norms[reader.chunk]!)
    }
    let chunk = 0
    let threshold = top.threshold
    for (const range of ranges) {
      const end = chunk + range.count
      if (isAllowed && !isAllowed(range.batchId)) {
        chunk = end
        continue
      }
      for (let position = range.from; chunk < end; chunk++, position++) {
        if (scores[chunk]! <= threshold) continue
        top.offer({ batchId: range.batchId, position }, scores[chunk]!)
        threshold = top.threshold
      }
    }
  }
}

/** The only block that can contain the term: the last one whose first term is not greater. */
function blockOf(firstTerms: string[], term: string): number {
  let low = 0
  let high = firstTerms.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (firstTerms[middle]! <= term) low = middle + 1
    else high = middle - 1
  }
  return high
}

/** The average changes with every document; the norms are kept until it changes by one percent. */
function setNorms(segment: CachedSegment, averageLength: number): void {
  const { lengths } = segment.header
  if (Math.abs(segment.normsFor / averageLength - 1) < 0.01) return
  for (let chunk = 0; chunk < lengths.length; chunk++)
    segment.norms[chunk] = saturation * (1 - lengthWeight + (lengthWeight * lengths[chunk]!) / averageLength)
  segment.normsFor = averageLength
}
