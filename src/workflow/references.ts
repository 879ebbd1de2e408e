/** One `{{#node.output#}}` in a text. */
export interface Reference {
  /** As it stands in the text, braces included. */
  readonly text: string
  readonly start: number
  /** The position after its last character. */
  readonly end: number
  /** What stands between the marks, without the blanks around it, cut at the dots. */
  readonly path: readonly string[]
  /** It has no dot, or nothing before, after or between its dots: it can name no output. */
  readonly malformed: boolean
}

const opening = '{{#'
const closing = '#}}'

/**
 * All references of a text, in one pass over it. Of several openings before a closing the last one counts, so
 * that other people's `{{#if …}}` in a prompt stays plain text and does not swallow the reference after it.
 */
export function findReferences(text: string): Reference[] {
  const references: Reference[] = []
  let position = 0
  for (;;) {
    const firstOpening = text.indexOf(opening, position)
    if (firstOpening === -1) return references
    const close = text.indexOf(closing, firstOpening + opening.length)
    if (close === -1) return references
    // Ends at firstOpening at the latest, so the way back stays within this piece of the text.
    const start = text.lastIndexOf(opening, close - opening.length)
    const end = close + closing.length
    const path = text
      .slice(start + opening.length, close)
      .trim()
      .split('.')
    const malformed = path.length < 2 || path.some(part => part.trim() === '')
    references.push({ text: text.slice(start, end), start, end, path, malformed })
    position = end
  }
}
