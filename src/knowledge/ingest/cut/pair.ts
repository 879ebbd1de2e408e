import type { Place } from '../block.ts'
import type { Chunk } from './chunk.ts'
import type { ChunkWriter } from './chunk-writer.ts'
import { countTokens } from './count-tokens.ts'
import type { Section } from './piece.ts'
import { sentencesWithin } from './text-unit.ts'

/** A question with its answer. */
export interface Pair {
  question: string
  answer: string
  /** Both together in the document's text. */
  from: number
  to: number
  /** Where the answer lies in the text, if it stands there as it is. */
  answerFrom?: number
  section: Section
  place: Place
}

/** An answer is worth more in one piece, so it may be as many times the size of a chunk. */
const longestInSizes = 4

export const longestPair = (size: number): number => size * longestInSizes

/** A question that takes up half of each chunk is none. */
export const isPair = ({ question, answer }: Pair, size: number): boolean =>
  question !== '' && answer !== '' && countTokens(question) * 2 <= size

function* partsOf(answer: string, room: number): Generator<string> {
  let part = ''
  let tokens = 0
  for (const sentence of sentencesWithin(answer, room)) {
    const count = countTokens(sentence)
    if (part !== '' && tokens + count > room) {
      yield part
      part = ''
      tokens = 0
    }
    part += sentence
    tokens += count
  }
  if (part !== '') yield part
}

/** One chunk, or several that repeat the question where the answer is very long. */
export function* writePair(pair: Pair, size: number, writer: ChunkWriter): Generator<Chunk> {
  const { question, answer, from, to, answerFrom, place } = pair
  const heading = [...pair.section.path]
  const questionTokens = countTokens(question)
  if (questionTokens + countTokens(answer) <= longestPair(size))
    return yield writer.write({ content: `${question}\n${answer}`, heading, from, to, place })
  let at = 0
  for (const part of partsOf(answer, size - questionTokens)) {
    const end = answerFrom === undefined ? to : answerFrom + at + part.trimEnd().length
    const start = answerFrom === undefined || at === 0 ? from : answerFrom + at
    yield writer.write({ content: `${question}\n${part.trim()}`, heading, from: start, to: end, place })
    at += part.length
  }
}
