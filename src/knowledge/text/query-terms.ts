import { joinSpacedOut, simplify } from './fold-text.ts'
import { withOtherNumerals } from './numerals.ts'
import { subjectOf } from './request-phrases.ts'
import {
  functionWords,
  isUnspaced,
  particles,
  pushPairs,
  spacedWords,
  splitTerms,
  textTerms,
  wordParts,
  wordTerms,
} from './text-terms.ts'
import { otherForms } from './word-forms.ts'

/** How much a term of a query counts beside its rarity. */
interface TermFactors {
  factor: number
  /** Factor if the base does not contain the term. 0 for terms that a passage need not contain. */
  unknownFactor: number
  /** Factor of a question word in a base that consists of questions. */
  factorAmongQuestions?: number
  /** A passage that contains the term matches better, but a passage without it loses nothing. */
  isOtherForm?: boolean
  /** The term of the query, for other forms of a word. */
  otherFormOf?: string
  /** The share of the weight that a passage gets for containing the term, however often. */
  presence?: number
}

export type QueryTerms = ReadonlyMap<string, TermFactors>

const functionWordFactor = 0.2
/** 为什么 and 怎么 tell questions apart, but not the texts that answer them. */
const factorAmongQuestions = 0.6
const particleFactor = 0.5
/** A pair across two words, such as 么申 in 怎么申请, occurs by accident more often than a word. */
const crossingFactor = 0.5
/** A long word, such as 共和国, is searched by its pairs as well. */
const longWordFactor = 0.5
const longHanWord = /^\p{Script=Han}{3}/u
/**
 * A question in a script without spaces has many terms, so a passage with a few frequent ones would rank above a
 * passage with all of them. In other scripts presence lowers the quality.
 */
const unspacedPresence = 0.15
/** Other forms count less than the words as written. */
const otherFormFactor = 0.5
/** Words around the question, such as "Can you please tell me", say little; a base mostly lacks them. */
const requestFactor = 0.3
/**
 * A long question repeats the words of its subject. The constant k3 of BM25, measured on fourteen public sets: library
 * science, with questions of several sentences, gains five points of nDCG@10, and no set loses more than 0.3.
 */
const repetitionSaturation = 3

/** Limited, because each term is looked up in every segment of an index. */
const maxTerms = 512

/** How the factors were measured: docs/decisions/2026-11-17-query-terms.md. */
export function queryTerms(query: string): QueryTerms {
  const folded = simplify(query.normalize('NFKC'))
  const subject = subjectOf(folded)
  const { terms, unspaced, spacedOut } = splitTerms(subject)
  const pairsInWords: string[] = []
  for (const word of unspaced) pushPairs(word, pairsInWords)
  // A word of two characters is already among the terms as a pair.
  const words = unspaced.filter(word => word.length !== 2)
  const inWords = new Set(pairsInWords)
  const counts = new Map<string, number>()
  for (const term of [...terms, ...words]) counts.set(term, (counts.get(term) ?? 0) + 1)
  const isCrossing = (term: string): boolean => term.length === 2 && !inWords.has(term) && isUnspaced(term)
  const isLongWord = (term: string): boolean => longHanWord.test(term) && !functionWords.has(term)
  const presence = unspaced.length > 0 ? { presence: unspacedPresence } : {}
  const weighed = Array.from(counts, ([term, count]): [string, TermFactors] => {
    const full = fullFactor(term, count)
    // Unknown pairs count fully: otherwise questions that the base cannot answer would have higher scores.
    const share = isCrossing(term) ? crossingFactor : isLongWord(term) ? longWordFactor : 1
    const usual = { factor: share * full, unknownFactor: full, ...presence }
    const isQuestionWord = functionWords.has(term) && isUnspaced(term)
    return [term, isQuestionWord ? { ...usual, factorAmongQuestions } : usual]
  })
  const factors = new Map(weighed.length > maxTerms ? mostImportant(weighed, [terms, words]) : weighed)
  const addForm = (form: string, factor: number, otherFormOf?: string): void => {
    if (!factors.has(form) && factors.size < maxTerms)
      factors.set(form, {
        factor: otherFormFactor * factor,
        unknownFactor: 0,
        isOtherForm: true,
        ...(otherFormOf !== undefined && { otherFormOf }),
        ...presence,
      })
  }
  for (const character of spacedOut) addForm(character, fullFactor(character, 1))
  const text = joinSpacedOut(subject)
  for (const word of spacedWords(text).flatMap(wordParts)) {
    const [term = ''] = wordTerms(word)
    if (functionWords.has(term)) continue
    for (const form of otherForms(word)) addForm(form, factors.get(term)?.factor ?? 0, term)
  }
  const withNumerals = withOtherNumerals(text)
  if (withNumerals !== text) for (const term of textTerms(withNumerals)) addForm(term, 1)
  if (subject === folded) return factors
  for (const term of textTerms(folded))
    if (!factors.has(term) && factors.size < maxTerms)
      factors.set(term, { factor: Math.min(requestFactor, fullFactor(term, 1)), unknownFactor: 0 })
  return factors
}

/** The terms with the highest factors; among equals those near an end of the query, where questions stand. */
function mostImportant(weighed: [string, TermFactors][], lists: string[][]): [string, TermFactors][] {
  const toEnd = new Map<string, number>()
  for (const list of lists)
    for (const [at, term] of list.entries()) {
      const share = Math.min(at, list.length - 1 - at) / list.length
      toEnd.set(term, Math.min(share, toEnd.get(term) ?? 1))
    }
  return weighed
    .sort(([one, { factor }], [other, { factor: otherFactor }]) => {
      return otherFactor - factor || toEnd.get(one)! - toEnd.get(other)!
    })
    .slice(0, maxTerms)
}

function fullFactor(term: string, count: number): number {
  if (functionWords.has(term)) return functionWordFactor
  if (particles.has(term)) return particleFactor
  return (count * (repetitionSaturation + 1)) / (count + repetitionSaturation)
}
