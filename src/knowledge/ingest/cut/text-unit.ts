import { countTokens } from './count-tokens.ts'
import type { Piece, Unit } from './piece.ts'
import { splitLongText } from './split-long-text.ts'
import { splitSentences } from './split-sentences.ts'

/** A text with its end, told by where it lies. */
export type Source = Omit<Piece, 'tokens' | 'header' | 'hasHeader'>

/** Gives texts that follow on each other their places. */
export function* piecesOf(source: Source, texts: Iterable<string>): Generator<Piece> {
  let from = source.from
  for (const text of texts) {
    yield { ...source, text, from, tokens: countTokens(text) }
    from += text.length
  }
}

/** Sentences, and parts of those that are longer than a chunk. */
export function* sentencesWithin(text: string, size: number): Generator<string> {
  for (const sentence of splitSentences(text)) {
    if (countTokens(sentence) <= size) yield sentence
    else yield* splitLongText(sentence, size)
  }
}

const blankLine = /\n[^\S\n]*\n(?:[^\S\n]*\n)*/g

/** The paragraphs of code; the white space at the beginning of a line is kept with it. */
function* codeParts(text: string, size: number): Generator<string> {
  let start = 0
  for (const match of text.matchAll(blankLine)) {
    const end = match.index + match[0].length
    yield* codeWithin(text.slice(start, end), size)
    start = end
  }
  if (start < text.length) yield* codeWithin(text.slice(start), size)
}

function* codeWithin(part: string, size: number): Generator<string> {
  if (countTokens(part) <= size) yield part
  else yield* splitLongText(part, size)
}

/** A paragraph, a heading or a block of code. */
export const textUnit = (source: Source, size: number): Unit => {
  const tokens = countTokens(source.text)
  const parts = source.kind === 'code' ? codeParts : sentencesWithin
  return {
    kind: source.kind,
    section: source.section,
    tokens,
    whole: tokens <= size ? { ...source, tokens } : undefined,
    split: () => piecesOf(source, parts(source.text, size)),
  }
}
