import type { QueryTerms } from '../text/query-terms.ts'
import { saturation } from './score-segment.ts'

/** A long query is scored by its rarest terms. */
const maxTerms = 64
/** A corrected word counts less than a word as written. */
const respeltFactor = 0.7
/**
 * A base consists of questions if a question word is in more than one chunk per this many terms, and in enough chunks.
 * Measured: one per 50 to 3,000 terms in bases of questions, and one per 10,000 or more in others.
 */
const termsPerQuestion = 2000
const minQuestions = 5

export interface WeighedTerm {
  term: string
  /** Number of chunks that contain the term; recently deleted ones may still count. */
  chunkCount: number
  weight: number
  /** The word of the query that the term probably corrects. */
  insteadOf?: string
  /** The query contains another form of the word. */
  isOtherForm?: boolean
  /** The share of the weight that a chunk gets for containing the term at all. */
  presence?: number
}

interface Counts {
  chunkTotal: number
  termTotal: number
  /** Number of chunks that contain a term. */
  countOf(term: string): number
}

/** How rare a term is among the chunks (the inverse document frequency of BM25). */
export const rarity = (chunkTotal: number, chunkCount: number): number =>
  Math.log(1 + (chunkTotal - chunkCount + 0.5) / (chunkCount + 0.5))

/** Added to the chunk count when known words are compared with unknown ones: in a tiny base every known word is common. */
const otherChunks = 200

/**
 * The share of the query that the base can match at all. Unknown words count as much as the rarest known ones: a
 * question is usually about them, and its other words must not make a passage look relevant.
 */
function knownShare(weighed: readonly { chunkCount: number; factor: number }[], chunkTotal: number): number {
  let [known, all] = [0, 0]
  for (const { chunkCount, factor } of weighed) {
    const weight = rarity(chunkTotal + otherChunks, chunkCount) * factor
    all += weight
    if (chunkCount > 0) known += weight
  }
  return all === 0 ? 1 : known / all
}

/** The weights of the terms of a query, rarest first, and the score of a chunk that matches all of it. */
export function weighTerms(
  terms: readonly string[],
  respelt: ReadonlyMap<string, string>,
  factors: QueryTerms,
  { chunkTotal, termTotal, countOf }: Counts,
): { deciding: WeighedTerm[]; highest: number } {
  const minQuestionCount = Math.max(minQuestions, termTotal / termsPerQuestion)
  const isOfQuestions = terms.some(
    term => factors.get(term)!.factorAmongQuestions && countOf(term) >= minQuestionCount,
  )
  const weighed = Array.from(new Set([...terms, ...respelt.keys()]), term => {
    const chunkCount = countOf(term)
    const insteadOf = respelt.get(term)
    const {
      factor: usual,
      unknownFactor,
      factorAmongQuestions,
      isOtherForm,
      presence,
    } = factors.get(insteadOf ?? term)!
    const known = (isOfQuestions && factorAmongQuestions) || usual
    const factor = (chunkCount > 0 ? known : unknownFactor) * (insteadOf ? respeltFactor : 1)
    const weight = rarity(chunkTotal, chunkCount) * (saturation + 1) * factor
    return {
      term,
      chunkCount,
      weight,
      factor,
      ...(insteadOf && { insteadOf }),
      ...(isOtherForm && { isOtherForm }),
      ...(presence && { presence }),
    }
  })
  const known = weighed
    .filter(({ chunkCount }) => chunkCount > 0)
    .sort((left, right) => right.weight - left.weight)
  const deciding = known.slice(0, maxTerms).map(({ factor: _, ...term }): WeighedTerm => term)
  const asked = weighed.filter(({ isOtherForm }) => !isOtherForm)
  const counted = asked.some(({ chunkCount }) => chunkCount > 0) ? asked : weighed
  const knownWeight = counted.reduce((sum, { chunkCount, weight }) => sum + (chunkCount > 0 ? weight : 0), 0)
  const highest = knownWeight / knownShare(counted, chunkTotal)
  return { deciding, highest }
}
