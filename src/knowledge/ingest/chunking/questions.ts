import type { Place } from '../block.ts'
import type { Chunk, ChunkWriter } from './chunk.ts'
import { countTokens } from './count-tokens.ts'
import { rowCells, rowGap, rowText, withBoundedSpace } from './document-text.ts'
import { rowPieces, type TableSource } from './table-units.ts'
import { type Piece, type Section, type Source, sentencesWithin, type Unit } from './text-units.ts'

/** A question with its answer. */
export interface Pair {
  question: string
  answer: string
  /** Range of both in the document's text. */
  from: number
  to: number
  /** Where the answer begins, if it appears in the text unchanged. */
  answerFrom?: number
  section: Section
  place: Place
}

/** Answers are more useful whole, so a pair may exceed the chunk size by this factor. */
const maxPairSizes = 4

const maxPairTokens = (size: number): number => size * maxPairSizes

/** A text that fills half a chunk is not a question. */
const isPair = ({ question, answer }: Pair, size: number): boolean =>
  question !== '' && answer !== '' && countTokens(question) * 2 <= size

function* answerParts(answer: string, room: number): Generator<string> {
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

/** One chunk, or several that repeat the question when the answer is very long. */
export function* writePair(pair: Pair, size: number, writer: ChunkWriter): Generator<Chunk> {
  const { question, answer, from, to, answerFrom, place } = pair
  const heading = [...pair.section.path]
  const questionTokens = countTokens(question)
  if (questionTokens + countTokens(answer) <= maxPairTokens(size))
    return yield writer.write({ content: `${question}\n${answer}`, heading, from, to, place })
  let at = 0
  for (const part of answerParts(answer, size - questionTokens)) {
    const end = answerFrom === undefined ? to : answerFrom + at + part.trimEnd().length
    const start = answerFrom === undefined || at === 0 ? from : answerFrom + at
    yield writer.write({ content: `${question}\n${part.trim()}`, heading, from: start, to: end, place })
    at += part.length
  }
}

const questionNames = new Set(
  'question questions q 问题 问 提问 问句 常见问题 标准问题 标准问 問題 問'.split(' '),
)
const answerNames = new Set(
  'answer answers a 答案 答 回答 解答 答复 回复 标准答案 標準答案 回覆 答覆'.split(' '),
)

interface Columns {
  question: number
  answer: number
  /** The header row holds column names and not a question. */
  named: boolean
}

const nameOf = (cell: string): string => cell.trim().toLowerCase()

const columnsOf = ({ header, rows }: TableSource): Columns | undefined => {
  const question = header.findIndex(cell => questionNames.has(nameOf(cell)))
  const answer = header.findIndex(cell => answerNames.has(nameOf(cell)))
  if (question >= 0 && answer >= 0) return { question, answer, named: true }
  const widest = rows.reduce((most, row) => Math.max(most, rowCells(row).length), header.length)
  return widest === 2 ? { question: 0, answer: 1, named: false } : undefined
}

const clean = (cell: string | undefined): string => withBoundedSpace(cell ?? '').trim()

/** Other columns, such as a category, follow the answer with their names. */
const answerOf = (row: string[], header: string[], { question, answer }: Columns): string => {
  const others = row
    .map((cell, index) => ({ cell: clean(cell), name: clean(header[index]), index }))
    .filter(({ cell, index }) => cell !== '' && index !== question && index !== answer)
    .map(({ cell, name }) => (name === '' ? cell : `${name}: ${cell}`))
  const own = clean(row[answer])
  return own === '' ? '' : [own, ...others].join('\n')
}

const pairInRow = (row: string[], from: number, source: TableSource, columns: Columns): Pair => ({
  question: clean(row[columns.question]),
  answer: answerOf(row, columns.named ? source.header : [], columns),
  from,
  to: from + rowText(row).length,
  section: source.section,
  place: source.place,
})

const rowUnit = (pieces: Piece[], source: TableSource, size: number): Unit => {
  const [first, second] = pieces
  const whole = second ? undefined : first
  const tokens = whole ? whole.tokens : size + 1
  return { kind: 'table', section: source.section, tokens, whole, split: () => pieces }
}

/**
 * A table of questions and answers, row by row; `undefined` for any other table. Rows with an empty cell are not
 * pairs. `continues` marks a further part of the previous table, whose header was already handled.
 */
export const questionsInTable = (
  source: TableSource,
  continues: boolean,
  size: number,
): Iterable<{ pair: Pair } | { unit: Unit }> | undefined => {
  const columns = source.rows.length > 0 ? columnsOf(source) : undefined
  return columns && rowsOf(source, columns, continues, size)
}

function* rowsOf(source: TableSource, columns: Columns, continues: boolean, size: number) {
  const { header } = source
  // Many such tables have no header, so a first row without column names is treated as a pair.
  const isHeader = columns.named
  const hasHeader = rowText(header) !== ''
  const lines = hasHeader ? [header, ...source.rows] : source.rows
  let from = source.from
  for (const [index, row] of lines.entries()) {
    const start = from
    from += rowText(row).length + rowGap.length
    if (index === 0 && hasHeader && (isHeader || continues)) continue
    const pair = pairInRow(row, start, source, columns)
    if (isPair(pair, size)) yield { pair }
    else {
      const gap = index === lines.length - 1 ? source.gap : rowGap
      const single = { ...source, header: isHeader ? header : [], rows: [row], gap }
      yield { unit: rowUnit([...rowPieces(single, start, size)], source, size) }
    }
  }
}

/** Pairs and the text between them. */
export type Found = { pair: Pair } | { text: Source }

const before = '(?:[-*•]\\s+|\\d{1,4}[.、)）]\\s*)?[*_]{0,2}'
const after = '\\s?\\d{0,4}\\s?[*_]{0,2}[:：][*_]{0,2}'
const questionMark = `(?<question>${before}(?:Q|Question|问|问题|提问)${after})`
const answerMark = `(?<answer>${before}(?:A|Answer|答|答案|回答|答复)${after})`
/** A question starts a line or follows the end of a sentence; an answer may follow any white space. */
const mark = new RegExp(
  `(?:(?<=^[^\\S\\n]*|[。！？!?.]\\s*)${questionMark})|(?:(?<=^|[\\s。！？!?.])${answerMark})`,
  'gimu',
)

interface Part {
  kind: 'question' | 'answer' | 'text'
  start: number
  /** Where the text after the marker begins. */
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

/** Finds "Q: … A: …" and "问：… 答：…", also in separate paragraphs. */
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
    const pair = pairInText(open)
    yield pair && isPair(pair, this.#size) ? { pair } : { text: open.source }
  }

  /** Text after an answer belongs to it, up to the maximum length of a pair. */
  *#continue(source: Source): Generator<Found> {
    const open = this.#open
    if (!open) return yield { text: source }
    open.source = { ...open.source, text: open.source.text + source.text }
    open.tokens += countTokens(source.text)
    if (open.tokens > maxPairTokens(this.#size)) yield* this.end()
  }
}

const pairInText = ({ source, questionStart, answer }: Open): Pair | undefined => {
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
