const opening = '{{#'
const closing = '#}}'

/** A reference that is being typed. */
export interface TypedReference {
  /** The offset of its `{{#`. */
  readonly start: number
  /** The text between `{{#` and the caret. */
  readonly typed: string
}

/** The reference around the caret, if there is one. */
export function referenceAt(text: string, caret: number): TypedReference | undefined {
  const start = text.slice(0, caret).lastIndexOf(opening)
  if (start === -1) return undefined
  const typed = text.slice(start + opening.length, caret)
  // A character that no path can contain ends the reference, or shows that there was none.
  return /[{}#\n]/.test(typed) ? undefined : { start, typed }
}

/** The text with the reference inserted, and the new caret position. */
export function insertReference(
  text: string,
  at: TypedReference,
  reference: string,
): { text: string; caret: number } {
  const before = text.slice(0, at.start) + opening + reference
  const after = text.slice(at.start + opening.length + at.typed.length)
  // The rest of an existing path is replaced, its closing marks are reused.
  const rest = /^[^\s{}#]*[^\S\n]*(?=#\}\})/.exec(after)?.[0]
  const tail = rest === undefined ? closing + after : after.slice(rest.length)
  // If the output's name is still to be typed, the caret stays inside.
  const caret = before.length + (reference.endsWith('.') ? 0 : closing.length)
  return { text: before + tail, caret }
}
