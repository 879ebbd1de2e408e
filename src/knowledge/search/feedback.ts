import type { FoundChunk } from '../chunk-store.ts'
import type { KeywordHit, KeywordResult, KeywordSearch } from '../index/keyword-index.ts'
import { simplify } from '../text/fold-text.ts'
import type { QueryTerms } from '../text/query-terms.ts'
import { functionWords, isUnspaced, spacedWords, wordTerms } from '../text/text-terms.ts'
import { addressKey } from './fuse-scores.ts'

/** The number of hits whose terms count, and of hits that these terms rank. */
const maxSources = 10
const maxRanked = 60
/** Candidate terms; the index chooses among them by rarity. */
const maxTerms = 100
const feedbackWeight = 0.5
/** Characters of a hit that are read: its beginning says what it is about, and the rest takes time. */
const maxSourceLength = 1500
/** How fast a hit loses influence with its score. High, so that a clear first hit is not outvoted by the others. */
const steepness = 6
/** A hit with less influence is not read, so a question with a clear answer costs nothing. */
const minInfluence = 0.03
/** In a smaller base, ten hits are a large part of it, and their terms describe the base rather than the question. */
const minChunks = 100

/** Shorter questions are searched by their words alone: they say what they mean, and have to be fast. */
const minQuestionTerms = 4

const square = (value: number): number => value * value
const digits = /^\d+$/

/**
 * Pseudo-relevance feedback: words that the first hits share describe the subject of the question, even if it does not
 * contain them, so hits with those words move up. Not for scripts without spaces, where measurements showed no effect:
 * docs/decisions/2026-11-17-relevance-feedback.md.
 */
export async function withFeedback(
  keywords: KeywordSearch,
  { workspaceId, generationId, terms }: { workspaceId: string; generationId: string; terms: QueryTerms },
  { hits, chunkTotal }: KeywordResult,
  read: (hits: KeywordHit[]) => Promise<FoundChunk[]>,
): Promise<KeywordHit[]> {
  const asked = [...terms.keys()]
  if (hits.length < 2 || chunkTotal < minChunks || asked.some(isUnspaced)) return hits
  const content = asked.filter(term => !functionWords.has(term) && terms.get(term)!.unknownFactor > 0)
  if (content.length < minQuestionTerms) return hits
  const sources = hits.slice(0, maxSources)
  const weights = sharedTerms(sources, await read(sources))
  if (weights.size === 0) return hits
  const ranked = hits.slice(0, maxRanked)
  const matches = await keywords.match(workspaceId, generationId, ranked, weights)
  if (!matches) return hits
  // Relevances are the squares of the scores. The lower the last source is, the less the sources are about one subject.
  const first = square(hits[0]!.score)
  const weight = feedbackWeight * (square(sources.at(-1)!.score) / first)
  const sums = hits.map(({ score }, at) => square(score) + weight * (matches[at] ?? 0))
  // The best score stays what it was, since it tells whether the base can answer the question.
  const scale = first / Math.max(...sums)
  return hits
    .map((hit, at) => ({ ...hit, score: Math.sqrt(Math.min(1, sums[at]! * scale)) }))
    .sort((left, right) => right.score - left.score)
}

/**
 * A term in the sources: its weight before rarity is known, and its number of occurrences in the last source that has
 * it.
 */
class Tally {
  sources = 0
  weight = 0
  #last = -1
  #count = 0

  /** Occurrences add up to n / (n + 1) of the influence of the source. */
  add(source: number, influence: number): void {
    if (this.#last !== source) {
      this.#last = source
      this.#count = 0
      this.sources++
    }
    this.#count++
    this.weight += influence / (this.#count * (this.#count + 1))
  }
}

/** The terms that at least two of the chunks contain, with their weights. */
function sharedTerms(hits: KeywordHit[], chunks: FoundChunk[]): Map<string, number> {
  const scores = new Map(hits.map(hit => [addressKey(hit), hit.score]))
  const tallies = new Map<string, Tally>()
  const talliesOf = (word: string): Tally[] => {
    const found: Tally[] = []
    for (const term of wordTerms(word)) {
      let tally = tallies.get(term)
      if (!tally) {
        if (functionWords.has(term) || term.length < 2 || digits.test(term)) continue
        tally = new Tally()
        tallies.set(term, tally)
      }
      found.push(tally)
    }
    return found
  }
  // Most words repeat, and are resolved once.
  const known = new Map<string, Tally[]>()
  for (const [source, chunk] of chunks.entries()) {
    const influence = square(scores.get(addressKey(chunk))! / hits[0]!.score) ** steepness
    if (influence < minInfluence) continue
    const text = [...chunk.heading, chunk.content].join('\n').slice(0, maxSourceLength)
    for (const word of spacedWords(simplify(text.normalize('NFKC')))) {
      let found = known.get(word)
      if (!found) {
        found = talliesOf(word)
        known.set(word, found)
      }
      for (const tally of found) tally.add(source, influence)
    }
  }
  const shared = [...tallies].filter(([, { sources }]) => sources > 1)
  const best = shared.sort(([, left], [, right]) => right.weight - left.weight).slice(0, maxTerms)
  return new Map(best.map(([term, { weight }]) => [term, weight]))
}
