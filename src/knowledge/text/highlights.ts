import { foldedText } from './folded-text.ts'
import { runs, textTerms } from './text-terms.ts'

/** An answer names at most so many ranges. */
const most = 100

/**
 * Ranges of the content, in UTF-16 units, in which the question's terms stand. Words are compared by their terms,
 * so that a question about "diluted" lights up "diluting"; unspaced scripts pair by pair, which needs no dictionary.
 */
export function highlights(content: string, questionTerms: string[]): [number, number][] {
  if (questionTerms.length === 0) return []
  const terms = new Set(questionTerms)
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
      const isWanted = known.get(run) ?? textTerms(run).some(term => terms.has(term))
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
  for (let at = marked.indexOf(1); at !== -1 && ranges.length < most; ) {
    let end = marked.indexOf(0, at)
    if (end === -1) end = marked.length
    ranges.push([at, end])
    at = marked.indexOf(1, end)
  }
  return ranges
}
