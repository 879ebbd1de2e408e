import { foldedText } from './fold-text.ts'
import { runs, wordTerms } from './text-terms.ts'

const maxRanges = 100

/** Ranges that match the query: words by their terms ("diluted" highlights "diluting"), unspaced scripts by bigrams. */
export function highlights(content: string, queryTerms: string[]): [number, number][] {
  if (queryTerms.length === 0) return []
  const terms = new Set(queryTerms)
  const folded = foldedText(content)
  const marked = new Uint8Array(content.length)
  const mark = (from: number, to: number): void => {
    marked.fill(1, folded.startOf(from), folded.endOf(to - 1))
  }
  const known = new Map<string, boolean>()
  for (const match of folded.text.matchAll(runs)) {
    const [run, unspaced] = match
    if (unspaced !== undefined) markUnspaced(unspaced, match.index, terms, mark)
    else {
      const isWanted = known.get(run) ?? wordTerms(run).some(term => terms.has(term))
      known.set(run, isWanted)
      if (isWanted) mark(match.index, match.index + run.length)
    }
  }
  return rangesOf(marked)
}

function markUnspaced(
  run: string,
  start: number,
  terms: Set<string>,
  mark: (from: number, to: number) => void,
): void {
  for (let at = 0; at < run.length; at++) {
    if (at + 2 <= run.length && terms.has(run.slice(at, at + 2))) mark(start + at, start + at + 2)
    else if (terms.has(run[at]!)) mark(start + at, start + at + 1)
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
