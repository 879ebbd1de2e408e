import { findReferences } from '../workflow/references.ts'
import { type Step, stepFailed } from '../workflow/step.ts'

const maxLength = 4 << 20

/** Fails for a text that grew too long. */
export function refuseLong(text: string): void {
  if (text.length > maxLength)
    throw stepFailed('A text with its inserted values is longer than 4 million characters. Insert less.')
}

/**
 * Replaces the references in a JSON text. Inside quotes a value is escaped, so that a quote or a line break in user input
 * neither breaks the JSON nor adds fields to it. Elsewhere a value is inserted as JSON, and a text unchanged, because it
 * may be JSON that a model wrote.
 */
export function fillJsonText(step: Pick<Step, 'text'>, template: string): string {
  let filled = ''
  let position = 0
  let isQuoted = false
  for (const { text, start, end } of findReferences(template)) {
    const literal = template.slice(position, start)
    isQuoted = endsQuoted(literal, isQuoted)
    const value = step.text(text)
    filled += literal + (isQuoted ? JSON.stringify(value).slice(1, -1) : value)
    refuseLong(filled)
    position = end
  }
  return filled + template.slice(position)
}

/** Whether a piece of JSON ends inside a quoted text. */
function endsQuoted(piece: string, startsQuoted: boolean): boolean {
  let isQuoted = startsQuoted
  for (let place = 0; place < piece.length; place += 1) {
    if (piece[place] === '"') isQuoted = !isQuoted
    else if (isQuoted && piece[place] === '\\') place += 1
  }
  return isQuoted
}
