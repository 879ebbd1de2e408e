/** How a reference is shown instead of its text. */
export interface Chip {
  title: string
  output: string
  /** Why it is broken, or undefined. */
  problem?: string | undefined
}

/** Something that can be inserted as a reference. */
export interface Offer {
  /** The path between the marks: `node.output`. */
  reference: string
  title: string
  output: string
  about: string
}

/** The possible references of a text. */
export interface References {
  chipOf(reference: string): Chip
  /** The offers that match what was typed. */
  offersFor(typed: string): readonly Offer[]
}

/** One `{{#path#}}` of a text. */
export interface FoundReference {
  from: number
  to: number
  path: string
}

/** If several openings precede a closing, the last one counts, as on the server. */
export const findReferences = (text: string): FoundReference[] =>
  [...text.matchAll(/\{\{#((?:(?!\{\{#)[\s\S])*?)#\}\}/g)].map(found => ({
    from: found.index,
    to: found.index + found[0].length,
    path: (found[1] ?? '').trim(),
  }))

/** The smallest replacement that turns one text into the other, so that the caret and the history survive it. */
export function difference(old: string, next: string): { from: number; to: number; insert: string } {
  const shorter = Math.min(old.length, next.length)
  let from = 0
  while (from < shorter && old[from] === next[from]) from += 1
  let end = 0
  while (end < shorter - from && old[old.length - 1 - end] === next[next.length - 1 - end]) end += 1
  return { from, to: old.length - end, insert: next.slice(from, next.length - end) }
}
