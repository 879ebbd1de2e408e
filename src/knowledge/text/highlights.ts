import { textTerms } from './text-terms.ts'

const word = /[\p{L}\p{M}\p{N}]+(?:[-_.,/:'’·&@][\p{L}\p{M}\p{N}]+)*[+#]{0,2}/gu
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}々〆ー]/u
/** An answer names at most so many ranges. */
const most = 100

/**
 * Ranges of the content, in UTF-16 units, in which the question's terms stand. Words are compared by their terms,
 * so that "making" lights up "made by"'s "make"; unspaced scripts pair by pair, which needs no dictionary.
 */
export function highlights(content: string, questionTerms: string[]): [number, number][] {
  const terms = new Set(questionTerms)
  const marked = new Uint8Array(content.length)
  for (const match of content.matchAll(word)) {
    if (unspaced.test(match[0])) markUnspaced(match[0], match.index, terms, marked)
    else if (textTerms(match[0]).some(term => terms.has(term)))
      marked.fill(1, match.index, match.index + match[0].length)
  }
  return rangesOf(marked)
}

function markUnspaced(run: string, start: number, terms: Set<string>, marked: Uint8Array): void {
  const characters = [...run]
  let at = start
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1]
    const isPair = next !== undefined && unspaced.test(character) && unspaced.test(next)
    if (isPair && textTerms(character + next).some(term => term.length > 1 && terms.has(term)))
      marked.fill(1, at, at + character.length + next.length)
    at += character.length
  }
  // Numbers and Latin words that stand right beside the characters.
  for (const match of run.matchAll(/[A-Za-z0-9]+/g))
    if (textTerms(match[0]).some(term => terms.has(term)))
      marked.fill(1, start + match.index, start + match.index + match[0].length)
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
