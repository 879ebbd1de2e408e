import { foldedText } from './fold-text.ts'
import { isUnspaced, spacedWords, wordTerms } from './text-terms.ts'

const maxRanges = 100

/** a to z. */
const isLetter = (code: number): boolean => code >= 0x61 && code <= 0x7a

/** Finds what matches a query: words by their terms ("diluted" for "diluting"), unspaced scripts by bigrams. */
export class Highlighter {
  readonly #spaced = new Set<string>()
  /** Whether a term begins with this character, which stemming never changes. */
  readonly #initials = new Uint8Array(128)
  readonly #unspaced: string[] = []
  /** Caches whether a word matches, because most words repeat. */
  readonly #known = new Map<string, boolean>()

  constructor(queryTerms: readonly string[]) {
    for (const term of queryTerms)
      if (isUnspaced(term)) {
        if (term.length <= 2) this.#unspaced.push(term)
      } else {
        this.#spaced.add(term)
        this.#initials[term.charCodeAt(0)] = 1
      }
  }

  rangesIn(content: string): [number, number][] {
    const folded = foldedText(content)
    const marked = new Uint8Array(content.length)
    const mark = (from: number, to: number): void => {
      marked.fill(1, folded.startOf(from), folded.endOf(to - 1))
    }
    for (const term of this.#unspaced)
      for (let at = folded.text.indexOf(term); at !== -1; at = folded.text.indexOf(term, at + 1))
        mark(at, at + term.length)
    let end = 0
    for (const word of this.#spaced.size > 0 ? spacedWords(folded.text) : []) {
      // No word begins between the end of the last one and this one.
      const start = folded.text.indexOf(word, end)
      end = start + word.length
      if (this.#mayMatch(word) && this.#isWanted(word)) mark(start, end)
    }
    return rangesOf(marked)
  }

  /**
   * Most words have another first letter than the terms, which takes less time to see than to look them up. Only words
   * of lower-case letters after the first are ruled out: others, such as 10ms or getUserName, can have several terms.
   */
  #mayMatch(word: string): boolean {
    const first = word.charCodeAt(0) | 0x20
    if (!isLetter(first) || this.#initials[first] === 1) return true
    for (let at = 1; at < word.length; at++) if (!isLetter(word.charCodeAt(at))) return true
    return false
  }

  #isWanted(word: string): boolean {
    let isWanted = this.#known.get(word)
    if (isWanted === undefined) {
      isWanted = wordTerms(word).some(term => this.#spaced.has(term))
      this.#known.set(word, isWanted)
    }
    return isWanted
  }
}

function rangesOf(marked: Uint8Array): [number, number][] {
  const ranges: [number, number][] = []
  for (let at = marked.indexOf(1); at !== -1 && ranges.length < maxRanges; ) {
    let end = marked.indexOf(0, at)
    if (end === -1) end = marked.length
    ranges.push([at, end])
    at = marked.indexOf(1, end)
  }
  return ranges
}
