import { foldedText } from './fold-text.ts'
import { isUnspaced, spacedWords, wordTerms } from './text-terms.ts'

const maxRanges = 100

/**
 * Finds the ranges of texts that match a query: words by their terms ("diluted" highlights "diluting"), unspaced scripts
 * by bigrams.
 */
export class Highlighter {
  readonly #spaced = new Set<string>()
  readonly #unspaced: string[] = []
  /** Caches whether a word matches, because most words repeat. */
  readonly #known = new Map<string, boolean>()

  constructor(queryTerms: readonly string[]) {
    for (const term of queryTerms)
      if (!isUnspaced(term)) this.#spaced.add(term)
      else if (term.length <= 2) this.#unspaced.push(term)
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
      if (this.#isWanted(word)) mark(start, end)
    }
    return rangesOf(marked)
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
