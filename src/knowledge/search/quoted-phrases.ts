import type { Pausable } from '../../kernel/slices.ts'
import { joinSpacedOut, simplify } from '../text/fold-text.ts'
import { partNumbers, withPartsInDigits } from '../text/numerals.ts'
import { isUnspaced } from '../text/text-terms.ts'

/** Quotation marks of English, German, French, Chinese and Japanese, and of titles (《》). An unclosed mark quotes nothing. */
const quotations =
  /"([^"]*)"|“([^“”]*)”|„([^„“”]*)[“”]|«([^«»]*)»|「([^「」]*)」|『([^『』]*)』|《([^《》]*)》/g
/** An exact place, such as 第三十八条, is meant as it is written, too. */
const places = new RegExp(`${partNumbers.source}.`, 'g')
const punctuation = /[^\p{L}\p{M}\p{N}]+/gu
const maxPhrases = 10
/** A passage that lacks a phrase keeps this share of its score. */
const missingFactor = 0.7

/** Removes case, punctuation and ways to write a number, and adds a space at both ends, so that only whole words match. */
const comparable = (text: string): string =>
  ` ${withPartsInDigits(joinSpacedOut(simplify(text.normalize('NFKC'))))
    .toLowerCase()
    .replace(punctuation, ' ')
    .trim()} `

/** The phrases and places that a question quotes, in comparable form. */
export function quotedPhrases(question: string): string[] {
  const quoted = Array.from(question.matchAll(quotations), ([, ...texts]) => texts.find(Boolean) ?? '')
  const named = joinSpacedOut(simplify(question.normalize('NFKC'))).match(places) ?? []
  const phrases = [...quoted, ...named].map(text => {
    const phrase = comparable(text)
    return isUnspaced(phrase.trim()) ? phrase.trim() : phrase
  })
  return [...new Set(phrases)].filter(phrase => phrase.trim() !== '').slice(0, maxPhrases)
}

/**
 * Passages with exactly the words that a question quotes come first: the others lose a part of their score for each
 * phrase that they lack and the best ones have. Their scores stay at or above the threshold, so that none is hidden.
 */
export function* preferQuoted<Item extends { score: number; chunk: { heading: string[]; content: string } }>(
  phrases: readonly string[],
  items: Item[],
  threshold: number,
): Pausable<Item[]> {
  if (phrases.length === 0) return items
  const counts: number[] = []
  for (const { chunk } of items) {
    const text = comparable([...chunk.heading, chunk.content].join('\n'))
    counts.push(phrases.filter(phrase => text.includes(phrase)).length)
    yield
  }
  const best = Math.max(...counts)
  return items
    .map((item, at) => {
      const lowered = item.score * missingFactor ** (best - counts[at]!)
      return { ...item, score: Math.min(item.score, Math.max(threshold, lowered)) }
    })
    .sort((left, right) => right.score - left.score)
}
