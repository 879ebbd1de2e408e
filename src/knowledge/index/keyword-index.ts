import { AppError } from '../../kernel/app-error.ts'
import { TopScores } from '../../kernel/top-scores.ts'
import type { QueryTerms } from '../text/query-terms.ts'
import { termBytes } from './bytes.ts'
import { findEntry, type TermEntry } from './postings.ts'
import { type ScoredTerm, scoreChunks, scoreSegment } from './score-segment.ts'
import { blockOf } from './segment.ts'
import type { CachedSegment, SegmentCache } from './segment-cache.ts'
import type { SegmentEntry, SegmentSource } from './segment-store.ts'
import { blocksNear, entriesNear, isCorrectable } from './spelling.ts'
import { rarity, type WeighedTerm, weighTerms } from './weigh-terms.ts'

/** Terms of `match` that are scored. */
const maxMatched = 30
/** Unknown words of a query that are looked for under another spelling. */
const maxRespelt = 3
/** Attempts while merges replace segments during a search. */
const maxAttempts = 8

/** The place of a chunk in the index. Segments are immutable, so it stays valid until they are merged. */
export interface KeywordPlace {
  segmentId: string
  /** The number of the chunk in the segment. */
  chunk: number
}

export interface KeywordHit extends KeywordPlace {
  batchId: string
  position: number
  /**
   * From 0 to 1: the square root of the share of the query that the chunk matches. Unknown words count as part of the
   * query.
   */
  score: number
}

export interface KeywordResult {
  hits: KeywordHit[]
  /** The scored terms, rarest first. */
  terms: WeighedTerm[]
  /** Number of chunks of the generation; recently deleted ones may still count. */
  chunkTotal: number
}

/** Finds the best chunks of a generation by keywords, in all batches or in those given. */
export interface KeywordSearch {
  search(
    workspaceId: string,
    generationId: string,
    terms: QueryTerms,
    limit: number,
    batchIds?: ReadonlySet<string>,
  ): Promise<KeywordResult>
  /**
   * How well hits of a search match other terms, from 0 to 1 each. Only the terms with the highest weight times rarity
   * count. Undefined when a merge replaced segments since the search.
   */
  match(
    workspaceId: string,
    generationId: string,
    hits: KeywordPlace[],
    weights: ReadonlyMap<string, number>,
  ): Promise<number[] | undefined>
}

interface LoadedSegment extends SegmentEntry {
  cached: CachedSegment
  entries: Map<string, TermEntry>
}

/** BM25 over the segments of a generation. */
export class KeywordIndex implements KeywordSearch {
  readonly #source: SegmentSource
  readonly #cache: SegmentCache
  #scores = new Float32Array(4096)

  constructor(source: SegmentSource, cache: SegmentCache) {
    this.#source = source
    this.#cache = cache
  }

  /** `known` are the segments of the generation as they were listed just now. */
  async search(
    workspaceId: string,
    generationId: string,
    factors: QueryTerms,
    limit: number,
    batchIds?: ReadonlySet<string>,
    known?: SegmentEntry[],
  ): Promise<KeywordResult> {
    const terms = [...factors.keys()]
    const asked = terms.filter(term => factors.get(term)!.unknownFactor > 0)
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const listed = attempt === 0 && known ? known : await this.#source.segments(workspaceId, generationId)
      const segments = await this.#load(workspaceId, listed, terms)
      const respelt = segments && (await this.#respell(workspaceId, segments, asked, factors))
      if (segments && respelt) return this.#rank(segments, terms, respelt, factors, limit, batchIds)
    }
    throw new AppError('unavailable', 'The keyword index is being reorganised. Try again.')
  }

  async match(
    workspaceId: string,
    generationId: string,
    hits: KeywordPlace[],
    weights: ReadonlyMap<string, number>,
    known?: SegmentEntry[],
  ): Promise<number[] | undefined> {
    const listed = known ?? (await this.#source.segments(workspaceId, generationId))
    // The largest segment is a fair sample of how rare the terms are, and costs less than all segments.
    const sample = listed.reduce<SegmentEntry | undefined>(
      (largest, each) => (largest && largest.chunkCount >= each.chunkCount ? largest : each),
      undefined,
    )
    const sampled = sample && (await this.#load(workspaceId, [sample], [...weights.keys()]))
    if (!sampled) return undefined
    const { entries, chunkCount } = sampled[0]!
    const best = [...weights]
      .map(([term, weight]) => ({
        term,
        weight: weight * rarity(chunkCount, entries.get(term)?.chunkCount ?? 0),
      }))
      .sort((left, right) => right.weight - left.weight)
      .slice(0, maxMatched)
    const groups = Map.groupBy(hits.keys(), at => hits[at]!.segmentId)
    const wanted = listed.filter(({ id }) => groups.has(id))
    const terms = best.map(({ term }) => term)
    const segments = wanted.length < groups.size ? undefined : await this.#load(workspaceId, wanted, terms)
    if (!segments) return undefined
    const { averageLength } = totalsOf(listed)
    const total = best.reduce((sum, { weight }) => sum + weight, 0) || 1
    const matches = hits.map(() => 0)
    for (const { id, cached, entries } of segments) {
      const ofSegment = groups.get(id)!
      const chunks = Uint32Array.from(ofSegment, at => hits[at]!.chunk).sort()
      const scores = this.#scoresFor(cached)
      scoreChunks(cached, scoredTerms(best, entries), averageLength, scores, chunks)
      for (const at of ofSegment) matches[at] = scores[hits[at]!.chunk]! / total
    }
    return matches
  }

  #scoresFor({ header: { lengths } }: CachedSegment): Float32Array {
    if (this.#scores.length < lengths.length) this.#scores = new Float32Array(lengths.length)
    return this.#scores.subarray(0, lengths.length).fill(0)
  }

  /** Undefined when a segment was merged meanwhile: the new list covers its chunks. */
  async #load(workspaceId: string, listed: SegmentEntry[], terms: string[]) {
    const headers = await this.#cache.headers(
      workspaceId,
      listed.map(segment => segment.id),
    )
    if (headers.size < listed.length) return undefined
    const segments = listed.map(entry => ({
      ...entry,
      cached: headers.get(entry.id)!,
      entries: new Map<string, TermEntry>(),
    }))
    const places = segments.flatMap(segment =>
      [...Map.groupBy(terms, term => blockOf(segment.cached.header.firstTerms, term))]
        .filter(([ordinal]) => ordinal >= 0)
        .map(([ordinal, inside]) => ({ segmentId: segment.id, ordinal, segment, inside })),
    )
    const blocks = await this.#cache.blocks(workspaceId, places)
    const encoded = new Map(terms.map(term => [term, termBytes(term)]))
    for (const [at, { segment, inside }] of places.entries()) {
      const block = blocks[at]
      if (!block) return undefined
      for (const term of inside) {
        const entry = findEntry(block, encoded.get(term)!)
        if (entry) segment.entries.set(term, entry)
      }
    }
    return segments
  }

  /**
   * The most common word of the base that each word may be a misspelling of, if the base does not contain it. Undefined
   * when a segment was merged meanwhile.
   */
  async #respell(workspaceId: string, segments: LoadedSegment[], terms: string[], factors: QueryTerms) {
    const isUnknown = (term: string): boolean => segments.every(({ entries }) => !entries.has(term))
    const respelt = new Map<string, string>()
    for (const term of terms.filter(each => isCorrectable(each) && isUnknown(each)).slice(0, maxRespelt)) {
      const places = segments.flatMap(segment =>
        blocksNear(segment.cached.header.firstTerms, term).map(ordinal => ({
          segmentId: segment.id,
          ordinal,
          segment,
        })),
      )
      const blocks = await this.#cache.blocks(workspaceId, places)
      const counts = new Map<string, number>()
      const near: { entry: TermEntry; segment: LoadedSegment }[] = []
      for (const [at, { segment }] of places.entries()) {
        const block = blocks[at]
        if (!block) return undefined
        for (const entry of entriesNear(block, term)) {
          near.push({ entry, segment })
          counts.set(entry.term, (counts.get(entry.term) ?? 0) + entry.chunkCount)
        }
      }
      const [best] = [...counts].sort(([, left], [, right]) => right - left)
      if (!best || terms.includes(best[0]) || respelt.has(best[0])) continue
      // A word that the base has in another form, such as Straße for Strasse, is not a misspelt Stress.
      const forms = [...factors.keys()].filter(
        form => factors.get(form)!.otherFormOf === term && !isUnknown(form),
      )
      if (forms.length > 0 && !forms.includes(best[0])) continue
      respelt.set(best[0], term)
      for (const { entry, segment } of near)
        if (entry.term === best[0]) segment.entries.set(entry.term, entry)
    }
    return respelt
  }

  #rank(
    segments: LoadedSegment[],
    terms: string[],
    respelt: ReadonlyMap<string, string>,
    factors: QueryTerms,
    limit: number,
    batchIds: ReadonlySet<string> | undefined,
  ) {
    const { chunkTotal, termTotal, averageLength } = totalsOf(segments)
    const countOf = (term: string): number =>
      segments.reduce((sum, { entries }) => sum + (entries.get(term)?.chunkCount ?? 0), 0)
    const { deciding, highest } = weighTerms(terms, respelt, factors, { chunkTotal, termTotal, countOf })

    const top = new TopScores<Omit<KeywordHit, 'score'>>(limit, 0)
    for (const segment of segments) this.#score(segment, deciding, averageLength, limit, top, batchIds)
    const hits = top
      .best()
      .map(({ item, score }) => ({ ...item, score: Math.sqrt(Math.min(1, score / highest)) }))
    return { hits, terms: deciding, chunkTotal }
  }

  #score(
    { id: segmentId, cached, entries }: LoadedSegment,
    terms: WeighedTerm[],
    averageLength: number,
    limit: number,
    top: TopScores<Omit<KeywordHit, 'score'>>,
    batchIds: ReadonlySet<string> | undefined,
  ): void {
    const { ranges } = cached.header
    const scores = this.#scoresFor(cached)
    const scored = scoredTerms(terms, entries)
    // With a filter, the best chunks of this segment may not be hits at all.
    const bounds = { limit: batchIds ? Number.POSITIVE_INFINITY : limit, minScore: top.lowest() }
    const candidates = scoreSegment(cached, scored, averageLength, scores, bounds)
    let start = 0
    let next = 0
    for (const { batchId, from, count } of ranges) {
      if (next === candidates.length) break
      const end = start + count
      const isSkipped = batchIds?.has(batchId) === false
      for (; next < candidates.length && candidates[next]! < end; next++) {
        const chunk = candidates[next]!
        if (!isSkipped)
          top.offer({ batchId, position: from + chunk - start, segmentId, chunk }, scores[chunk]!)
      }
      start = end
    }
  }
}

function totalsOf(segments: readonly SegmentEntry[]) {
  const chunkTotal = segments.reduce((sum, segment) => sum + segment.chunkCount, 0)
  const termTotal = segments.reduce((sum, segment) => sum + segment.termTotal, 0)
  return { chunkTotal, termTotal, averageLength: termTotal / (chunkTotal || 1) }
}

/** The factor 1.5 was measured to keep scores as high as without presence, so minimum scores keep their meaning. */
const scoredTerms = (
  terms: readonly Pick<WeighedTerm, 'term' | 'weight' | 'presence'>[],
  entries: ReadonlyMap<string, TermEntry>,
): ScoredTerm[] =>
  terms.flatMap(({ term, weight, presence = 0 }) => {
    const entry = entries.get(term)
    return entry ? { entry, weight: weight * (1 - 1.5 * presence), presence: weight * presence } : []
  })
