import { countTokens } from './count-tokens.ts'
import type { Piece } from './piece.ts'
import { splitSentences } from './split-sentences.ts'

/** The sentences of a piece, last one first. */
const sentencesFromEnd = (piece: Piece): string[] => [...splitSentences(piece.text)].reverse()

/**
 * The last sentences of a chunk, at most `budget` tokens, for the next chunk to begin with. Only a running text goes on
 * in the next chunk; tables, code and what a heading is before do not. The first sentence is never taken, so that a
 * chunk is not repeated as a whole.
 */
export const overlapTail = (pieces: Piece[], next: Piece, budget: number): Piece | undefined => {
  if (next.kind !== 'paragraph') return undefined
  let tail: Piece | undefined
  let tokens = 0
  const start = pieces[0]?.from ?? 0
  for (const piece of pieces.toReversed()) {
    if (piece.kind !== 'paragraph') return tail
    let from = piece.from + piece.text.length
    for (const sentence of sentencesFromEnd(piece)) {
      from -= sentence.length
      tokens += countTokens(sentence)
      if (tokens > budget || from <= start) return tail
      tail = { ...piece, from, text: sentence + (tail?.text ?? ''), tokens }
    }
  }
  return tail
}
