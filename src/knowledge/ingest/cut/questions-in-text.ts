import { countTokens } from './count-tokens.ts'
import { isPair, longestPair, type Pair } from './pair.ts'
import type { Source } from './text-unit.ts'

/** What a text is made of: pairs, and text that is none. */
export type Found = { pair: Pair } | { text: Source }

const before = '(?:[-*•]\\s+|\\d{1,4}[.、)）]\\s*)?[*_]{0,2}'
const after = '\\s?\\d{0,4}\\s?[*_]{0,2}[:：][*_]{0,2}'
const questionMark = `(?<question>${before}(?:Q|Question|问|问题|提问)${after})`
const answerMark = `(?<answer>${before}(?:A|Answer|答|答案|回答|答复)${after})`
/** A question begins a line or follows the end of a sentence; an answer may also follow any white space. */
const mark = new RegExp(
  `(?:(?<=^[^\\S\\n]*|[。！？!?.]\\s*)${questionMark})|(?:(?<=^|[\\s。！？!?.])${answerMark})`,
  'gimu',
)

interface Part {
  kind: 'question' | 'answer' | 'text'
  start: number
  /** Where the text after the mark begins. */
  textStart: number
  end: number
}

const partsOf = (text: string): Part[] => {
  const parts: Part[] = []
  for (const match of text.matchAll(mark)) {
    const kind = match.groups?.['question'] === undefined ? 'answer' : 'question'
    const last = parts.at(-1)
    if (last) last.end = match.index
    else if (match.index > 0) parts.push({ kind: 'text', start: 0, textStart: 0, end: match.index })
    parts.push({ kind, start: match.index, textStart: match.index + match[0].length, end: text.length })
  }
  return parts.length > 0 ? parts : [{ kind: 'text', start: 0, textStart: 0, end: text.length }]
}

interface Open {
  source: Source
  questionStart: number
  answer?: { start: number; textStart: number }
  tokens: number
}

/** Finds "Q: … A: …" and "问：… 答：…", also where question and answer are paragraphs of their own. */
export class QuestionsInText {
  readonly #size: number
  #open: Open | undefined

  constructor(size: number) {
    this.#size = size
  }

  *push(source: Source): Generator<Found> {
    const parts = source.kind === 'code' ? [] : partsOf(source.text)
    if (parts.length === 0) return yield* this.#continue(source)
    for (const part of parts) {
      const text = source.text.slice(part.start, part.end)
      const own: Source = { ...source, text, from: source.from + part.start }
      const offset = part.textStart - part.start
      if (part.kind === 'question') {
        yield* this.end()
        this.#open = { source: own, questionStart: offset, tokens: countTokens(text) }
      } else {
        const open = this.#open
        if (part.kind === 'answer' && open && !open.answer) {
          const start = open.source.text.length
          open.answer = { start, textStart: start + offset }
        }
        yield* this.#continue(own)
      }
    }
  }

  *end(): Generator<Found> {
    const open = this.#open
    this.#open = undefined
    if (!open) return
    const pair = pairOf(open)
    yield pair && isPair(pair, this.#size) ? { pair } : { text: open.source }
  }

  /** What follows an answer without a mark is more of the answer, up to the length an answer may have. */
  *#continue(source: Source): Generator<Found> {
    const open = this.#open
    if (!open) return yield { text: source }
    open.source = { ...open.source, text: open.source.text + source.text }
    open.tokens += countTokens(source.text)
    if (open.tokens > longestPair(this.#size)) yield* this.end()
  }
}

const pairOf = ({ source, questionStart, answer }: Open): Pair | undefined => {
  if (!answer) return undefined
  const { text, from, section, place } = source
  const rest = text.slice(answer.textStart)
  const answerText = rest.trim()
  const skipped = rest.length - rest.trimStart().length
  return {
    question: text.slice(questionStart, answer.start).trim(),
    answer: answerText,
    from,
    to: from + text.trimEnd().length,
    answerFrom: from + answer.textStart + skipped,
    section,
    place,
  }
}
