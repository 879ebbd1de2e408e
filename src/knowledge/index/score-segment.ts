import { PostingReader, type TermEntry } from './postings.ts'
import type { CachedSegment } from './segment-cache.ts'

/** A term that is scored, with its postings in the segment. */
export interface ScoredTerm {
  entry: TermEntry
  weight: number
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

/** What makes a common term cheap: how much it can add to a score, and where to find its postings. */
interface CommonTerm {
  /** The highest share of its weight that a chunk gets, with the norms for the average length in `normsFor`. */
  maxShare: number
  normsFor: number
  /** The chunk before every 64th posting, and where the posting begins. */
  chunks: Uint32Array
  offsets: Uint32Array
}

/** By block and offset. A table takes an eighth of the bytes of its postings at most. */
const commonTerms = new WeakMap<Uint8Array, Map<number, CommonTerm>>()

/**
 * Adds up the scores of the chunks of a segment, starting with the term of the highest weight. `bound` returns a score
 * that every hit reaches, given the sums so far. Chunks that cannot reach it with all the remaining terms stay
 * incomplete, so common words, which have most of the postings, are only looked up for the other chunks.
 */
export function scoreSegment(
  segment: CachedSegment,
  terms: readonly ScoredTerm[],
  averageLength: number,
  scores: Float32Array,
  bound: () => number,
): void {
  setNorms(segment, averageLength)
  const rests = restsOf(segment, terms)
  for (const [at, term] of terms.entries()) {
    const rest = rests[at]!
    // No sum so far is higher than what the earlier terms can add.
    if (term.entry.chunkCount >= commonPostings && rests[0]! > 2 * rest) {
      const lowest = bound()
      if (lowest > rest) {
        scoreCandidates(segment, terms.slice(at), scores, lowest - rest)
        return
      }
    }
    addAll(segment, term, scores)
  }
}

/** At each term, the most that it and all later ones can add. */
function restsOf(segment: CachedSegment, terms: readonly ScoredTerm[]): number[] {
  const rests = terms.map(({ entry, weight }) =>
    entry.chunkCount < commonPostings ? weight : weight * commonTerm(segment, entry).maxShare,
  )
  for (let at = rests.length - 2; at >= 0; at--) rests[at]! += rests[at + 1]!
  return rests.map(rest => rest * margin)
}

function addAll({ norms, shares }: CachedSegment, { entry, weight }: ScoredTerm, scores: Float32Array): void {
  const reader = new PostingReader(entry)
  while (reader.next()) {
    const { chunk, count } = reader
    scores[chunk]! += weight * (count === 1 ? shares[chunk]! : count / (count + norms[chunk]!))
  }
}

/** Completes the scores of the chunks that have at least `least`. */
function scoreCandidates(
  segment: CachedSegment,
  terms: readonly ScoredTerm[],
  scores: Float32Array,
  least: number,
): void {
  const candidates: number[] = []
  for (let chunk = 0; chunk < scores.length; chunk++) if (scores[chunk]! >= least) candidates.push(chunk)
  for (const term of terms)
    if (term.entry.chunkCount < commonPostings || candidates.length > term.entry.chunkCount / skipInterval)
      addAll(segment, term, scores)
    else addSome(segment, term, scores, candidates)
}

/** Adds a common term to a few chunks, which are in ascending order. */
function addSome(
  segment: CachedSegment,
  { entry, weight }: ScoredTerm,
  scores: Float32Array,
  candidates: readonly number[],
): void {
  const { norms, shares } = segment
  const { chunks, offsets } = commonTerm(segment, entry)
  const reader = new PostingReader(entry)
  let skip = 0
  for (const candidate of candidates) {
    const before = skip
    while (skip + 1 < chunks.length && chunks[skip + 1]! < candidate) skip++
    if (skip > before) reader.seek(offsets[skip]!, chunks[skip]!)
    while (reader.chunk < candidate && reader.next());
    if (reader.chunk !== candidate) continue
    const { count } = reader
    scores[candidate]! += weight * (count === 1 ? shares[candidate]! : count / (count + norms[candidate]!))
  }
}

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
