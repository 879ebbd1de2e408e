import { simplify } from './fold-text.ts'
import { runs, textTerms } from './text-terms.ts'

/** An answer names at most so many ranges. */
const most = 100

/**
 * Ranges of the content, in UTF-16 units, in which the question's terms stand. Words are compared by their terms,
 * so that a question about "making" lights up "made"; unspaced scripts pair by pair, which needs no dictionary.
 */
export function highlights(content: string, questionTerms: string[]): [number, number][] {
  if (questionTerms.length === 0) return []
  const terms = new Set(questionTerms)
  const marked = new Uint8Array(content.length)
  const known = new Map<string, boolean>()
  // Folding keeps every character in its place, so that the ranges fit the content as it is.
  for (const match of simplify(content).matchAll(runs)) {
    const [run, unspaced] = match
    if (unspaced !== undefined) markPairs(unspaced, match.index, terms, marked)
    else {
      const isWanted = known.get(run) ?? textTerms(run).some(term => terms.has(term))
      known.set(run, isWanted)
      if (isWanted) marked.fill(1, match.index, match.index + run.length)
    }
  }
  return rangesOf(marked)
}

function markPairs(run: string, start: number, terms: Set<string>, marked: Uint8Array): void {
  if (run.length === 1 && terms.has(run)) marked[start] = 1
  for (let at = 0; at + 2 <= run.length; at++)
    if (terms.has(run.slice(at, at + 2))) marked.fill(1, start + at, start + at + 2)
}

function rangesOf(marked: Uint8Array): [number, number][] {
  const ranges: [number, number][] = []
  for (let at = marked.indexOf(1); at !== -1 && ranges.length < most; ) {
    let end = marked.indexOf(0, at)
    if (end === -1) end = marked.length
    ranges.push([at, end])
    at = marked.indexOf(1, end)
  }
  return ranges
}
