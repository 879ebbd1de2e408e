import { PostingReader, type TermEntry } from './postings.ts'
import type { CachedSegment } from './segment-cache.ts'

/** A term that is scored, with its postings in the segment. */
export interface ScoredTerm {
  entry: TermEntry
  weight: number
  /** Added for every chunk that contains the term, however often and however long the chunk is. */
  presence: number
}

/** The usual constants of BM25. */
export const saturation = 1.2
const lengthWeight = 0.75
/** A term with fewer postings is scored for every chunk. */
const commonPostings = 1024
/** Postings between two entries of a skip table. */
const skipInterval = 64
/** Scores are 32-bit floats, so a bound needs a margin. */
const margin = 1.00001

/** Keeps a common term cheap: how much it can add to a score, and where its postings are. */
interface CommonTerm {
  /** The highest share of its weight that any chunk gets, with the norms for the average length in `normsFor`. */
  maxShare: number
  normsFor: number
  /** The chunk before every 64th posting, and where the posting begins. */
  chunks: Uint32Array
  offsets: Uint32Array
}

/** Common terms by block and offset. A table takes at most an eighth of the bytes of its postings. */
const commonTerms = new WeakMap<Uint8Array, Map<number, CommonTerm>>()

/**
 * Adds up the scores of the chunks of a segment, starting with the term of the highest weight, and returns the chunks
 * that may be hits, in ascending order. A hit needs at least `minScore`, and one of the `limit` best scores. Chunks that
 * cannot reach that with all the remaining terms stay incomplete, so common words, which have most of the postings, are
 * only looked up for the other chunks.
 */
export function scoreSegment(
  segment: CachedSegment,
  terms: readonly ScoredTerm[],
  averageLength: number,
  scores: Float32Array,
  { limit, minScore }: { limit: number; minScore: number },
): Uint32Array {
  setNorms(segment, averageLength)
  const rests = restsOf(segment, terms)
  const highest = rests[0] ?? 0
  let bound = minScore
  // Looking for candidates is repeated only when the rest falls below a bound, because it reads all sums.
  let lookAt = highest / 4
  for (const [at, term] of terms.entries()) {
    const rest = rests[at]!
    if (term.entry.chunkCount >= commonPostings && rest < lookAt) {
      if (rest >= bound) bound = boundOf(scores, highest - rest, limit, bound)
      const most = scores.length / skipInterval
      const candidates = rest < bound ? chunksAbove(scores, bound - rest, most) : undefined
      if (candidates) {
        for (const each of terms.slice(at)) addSome(segment, each, scores, candidates)
        return candidates
      }
      lookAt = Math.min(bound, rest) * 0.7
    }
    addAll(segment, term, scores)
  }
  return chunksAbove(scores, bound || boundOf(scores, highest, limit, 0), scores.length)!
}

/** Adds up the scores of a few chunks, which are in ascending order. Those scores are 0 before. */
export function scoreChunks(
  segment: CachedSegment,
  terms: readonly ScoredTerm[],
  averageLength: number,
  scores: Float32Array,
  chunks: Uint32Array,
): void {
  setNorms(segment, averageLength)
  for (const term of terms) addSome(segment, term, scores, chunks)
}

const bucketCount = 512
const buckets = new Uint32Array(bucketCount)

/**
 * A score that `limit` chunks reach, near the highest such score; `known` if fewer chunks have a score above that.
 * Scores are at most `max`. Counting them in buckets takes less time than sorting them.
 */
function boundOf(scores: Float32Array, max: number, limit: number, known: number): number {
  const scale = (bucketCount - 1) / (max - known)
  buckets.fill(0)
  for (let chunk = 0; chunk < scores.length; chunk++) {
    const score = scores[chunk]!
    if (score > known) buckets[((score - known) * scale) | 0]!++
  }
  let count = 0
  for (let bucket = bucketCount - 1; bucket > 0; bucket--) {
    count += buckets[bucket]!
    if (count >= limit) return known + bucket / scale
  }
  return known
}

/** The chunks with at least this score, and a score at all; undefined if there are more than `most`. */
function chunksAbove(scores: Float32Array, minScore: number, most: number): Uint32Array | undefined {
  const lowest = minScore / margin
  const found: number[] = []
  for (let chunk = 0; chunk < scores.length; chunk++) {
    if (scores[chunk]! <= lowest) continue
    if (found.length >= most) return undefined
    found.push(chunk)
  }
  return Uint32Array.from(found)
}

/** At each term, the most that it and all later ones can add. */
function restsOf(segment: CachedSegment, terms: readonly ScoredTerm[]): number[] {
  const rests = terms.map(
    ({ entry, weight, presence }) =>
      presence + (entry.chunkCount < commonPostings ? weight : weight * commonTerm(segment, entry).maxShare),
  )
  for (let at = rests.length - 2; at >= 0; at--) rests[at]! += rests[at + 1]!
  return rests.map(rest => rest * margin)
}

/** Decodes in place, because a common term has tens of thousands of postings: a PostingReader takes three times as long. */
function addAll(
  { norms, shares }: CachedSegment,
  { entry, weight, presence }: ScoredTerm,
  scores: Float32Array,
): void {
  const { bytes, from, to } = entry
  let chunk = -1
  for (let at = from; at < to; ) {
    let byte = bytes[at++]!
    let value = byte & 0x7f
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[at++]!
      value |= (byte & 0x7f) << shift
    }
    chunk += value >>> 1
    if ((value & 1) === 0) {
      scores[chunk]! += presence + weight * shares[chunk]!
      continue
    }
    byte = bytes[at++]!
    let count = byte & 0x7f
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[at++]!
      count |= (byte & 0x7f) << shift
    }
    scores[chunk]! += presence + weight * (count / (count + norms[chunk]!))
  }
}

/** Adds a term to a few chunks, which are in ascending order. */
function addSome(
  segment: CachedSegment,
  { entry, weight, presence }: ScoredTerm,
  scores: Float32Array,
  candidates: Uint32Array,
): void {
  const { norms, shares } = segment
  const { chunks, offsets } = entry.chunkCount < commonPostings ? noSkips : commonTerm(segment, entry)
  const reader = new PostingReader(entry)
  let skip = 0
  for (const candidate of candidates) {
    const before = skip
    while (skip + 1 < chunks.length && chunks[skip + 1]! < candidate) skip++
    if (skip > before) reader.seek(offsets[skip]!, chunks[skip]!)
    while (reader.chunk < candidate && reader.next());
    if (reader.chunk !== candidate) continue
    const { count } = reader
    scores[candidate]! +=
      presence + weight * (count === 1 ? shares[candidate]! : count / (count + norms[candidate]!))
  }
}

const noSkips = { chunks: new Uint32Array(), offsets: new Uint32Array() }

function commonTerm(segment: CachedSegment, entry: TermEntry): CommonTerm {
  const ofBlock = commonTerms.get(entry.bytes) ?? new Map<number, CommonTerm>()
  commonTerms.set(entry.bytes, ofBlock)
  const known = ofBlock.get(entry.from)
  if (known?.normsFor === segment.normsFor) return known
  const measured = measure(segment, entry)
  ofBlock.set(entry.from, measured)
  return measured
}

function measure({ norms, normsFor }: CachedSegment, entry: TermEntry): CommonTerm {
  const size = Math.ceil(entry.chunkCount / skipInterval)
  const chunks = new Uint32Array(size)
  const offsets = new Uint32Array(size)
  const reader = new PostingReader(entry)
  let maxShare = 0
  for (let number = 0; ; number++) {
    if (number % skipInterval === 0 && number > 0 && number < entry.chunkCount) {
      chunks[number / skipInterval] = reader.chunk
      offsets[number / skipInterval] = reader.at
    }
    if (!reader.next()) break
    maxShare = Math.max(maxShare, reader.count / (reader.count + norms[reader.chunk]!))
  }
  return { maxShare, normsFor, chunks, offsets }
}

/** The average changes with every document; the norms are kept until it changes by one percent. */
function setNorms(segment: CachedSegment, averageLength: number): void {
  const { norms, shares } = segment
  const { lengths } = segment.header
  if (Math.abs(segment.normsFor / averageLength - 1) < 0.01) return
  for (let chunk = 0; chunk < lengths.length; chunk++) {
    norms[chunk] = saturation * (1 - lengthWeight + (lengthWeight * lengths[chunk]!) / averageLength)
    shares[chunk] = 1 / (1 + norms[chunk]!)
  }
  segment.normsFor = averageLength
}
