import { termBytes } from './bytes.ts'
import { entriesWhere, type TermEntry } from './postings.ts'
import { blockOf } from './segment.ts'

/** Shorter words have too many neighbours that mean something else. */
const minLength = 6
/** Maximum blocks to search per segment. In a large segment a longer prefix of the word has to be right. */
const maxBlocks = 8
const letters = /^[a-z]+$/

/** Codes such as AX2047B are not corrected: another code is another product. */
export const isCorrectable = (term: string): boolean => term.length >= minLength && letters.test(term)

/** The blocks with the terms that begin like this one. */
export function blocksNear(firstTerms: string[], term: string): number[] {
  for (let length = 1; length < term.length; length++) {
    const prefix = term.slice(0, length)
    const from = Math.max(0, blockOf(firstTerms, prefix))
    const count = blockOf(firstTerms, `${prefix}\uffff`) - from + 1
    if (count <= maxBlocks) return Array.from({ length: count }, (_, at) => from + at)
  }
  return []
}

/** The entries whose terms differ from this one by one letter, or by the order of two, but not in the first letter. */
export function entriesNear(block: Uint8Array, term: string): TermEntry[] {
  const wanted = termBytes(term)
  return entriesWhere(block, (at, length) => isNear(block, at, length, wanted))
}

/** Compares without decoding, because almost all terms are different. */
function isNear(block: Uint8Array, at: number, length: number, wanted: Buffer): boolean {
  const shorter = Math.min(length, wanted.length)
  let start = 0
  while (start < shorter && block[at + start] === wanted[start]) start++
  // A letter takes two bytes.
  start -= start % 2
  let end = 0
  while (end < shorter - start && block[at + length - 1 - end] === wanted[wanted.length - 1 - end]) end++
  end -= end % 2
  const [left, right] = [length - start - end, wanted.length - start - end]
  if (start === 0 || left > 4 || right > 4) return false
  if (left <= 2 && right <= 2) return true
  const from = at + start
  return (
    left === right &&
    [0, 1].every(byte => block[from + byte] === wanted[start + 2 + byte]) &&
    [0, 1].every(byte => block[from + 2 + byte] === wanted[start + byte])
  )
}
