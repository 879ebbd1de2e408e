import { countTokens } from '../../../kernel/count-tokens.ts'
import type { Place } from '../block.ts'
import { groupsWithin } from '../groups-within.ts'
import type { Chunk, ChunkWriter } from './chunk.ts'
import { rowCells, rowGap, rowText, withBoundedSpace } from './document-text.ts'
import { sentencesWithin } from './split-text.ts'
import { rowPieces, type TableSource, tableUnit } from './table-units.ts'
import type { Section, Source, Unit } from './text-units.ts'

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

/** Answers are more useful whole, so a pair may exceed the chunk size. */
const maxPairTokens = (size: number): number => size * 4

/** A text that fills half a chunk is not a question. */
const isPair = ({ question, answer }: Pair, size: number): boolean =>
  question !== '' && answer !== '' && countTokens(question) * 2 <= size

/** One chunk, or several that repeat the question when the answer is very long. */
export function* writePair(pair: Pair, size: number, writer: ChunkWriter): Generator<Chunk> {
  const { question, answer, from, to, answerFrom, place } = pair
  const heading = [...pair.section.path]
  const questionTokens = countTokens(question)
  if (questionTokens + countTokens(answer) <= maxPairTokens(size))
    return yield writer.write({ content: `${question}\n${answer}`, heading, from, to }, place)
  const room = size - questionTokens
  let at = 0
  for (const sentences of groupsWithin(sentencesWithin(answer, room), countTokens, room)) {
    const part = sentences.join('')
    const end = answerFrom === undefined ? to : answerFrom + at + part.trimEnd().length
    const start = answerFrom === undefined || at === 0 ? from : answerFrom + at
    yield writer.write({ content: `${question}\n${part.trim()}`, heading, from: start, to: end }, place)
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

/** A first row of known column names is the header. Readers may miss it, because short cells below look like names. */
const withHeader = (source: TableSource): TableSource => {
  const [first, ...rows] = source.rows
  if (rowText(source.header) !== '' || !first) return source
  const named = { ...source, header: first, rows }
  return columnsOf(named)?.named ? named : source
}

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
  answer: answerOf(row, source.header, columns),
  from,
  to: from + rowText(row).length,
  section: source.section,
  place: source.place,
})

/** Pairs, and the text between them. */
export type Found = { pair: Pair } | { text: Source } | { unit: Unit }

/** A table of questions and answers, row by row; any other table as a whole. `continues`: its header was handled before. */
export function* questionsInTable(
  table: TableSource,
  text: string,
  continues: boolean,
  size: number,
): Generator<Found> {
  const source = withHeader(table)
  const columns = source.rows.length > 0 ? columnsOf(source) : undefined
  if (!columns) return yield { unit: tableUnit(source, text, size) }
  const hasHeader = rowText(source.header) !== ''
  const lines = hasHeader ? [source.header, ...source.rows] : source.rows
  // Many such tables have no header, so a first row without column names is treated as a pair.
  const header = columns.named ? source.header : []
  let from = source.from
  for (const [index, row] of lines.entries()) {
    const start = from
    from += rowText(row).length + rowGap.length
    if (index === 0 && hasHeader && (columns.named || continues)) continue
    const pair = pairInRow(row, start, { ...source, header }, columns)
    if (isPair(pair, size)) yield { pair }
    else {
      const gap = index === lines.length - 1 ? source.gap : rowGap
      const pieces = [...rowPieces({ ...source, header, rows: [row], gap }, start, size)]
      const tokens = pieces.length === 1 ? pieces[0]!.tokens : size + 1
      yield { unit: { ...pieces[0]!, tokens, split: () => pieces } }
    }
  }
}

const before = '(?:[-*•]\\s+|\\d{1,4}[.、)）]\\s*)?[*_]{0,2}'
const after = '\\s?\\d{0,4}\\s?[*_]{0,2}[:：][*_]{0,2}'
const questionMark = `(?<question>${before}(?:Q|Question|问|问题|提问)${after})`
const answerMark = `(?<answer>${before}(?:A|Answer|答|答案|回答|答复)${after})`
/** A question starts a line or follows the end of a sentence; an answer may follow any white space. */
const mark = new RegExp(
  `(?:(?<=^[^\\S\\n]*|[。！？!?.]\\s*)${questionMark})|(?:(?<=^|[\\s。！？!?.])${answerMark})`,
  'gimu',
)

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
    const marks = source.kind === 'code' ? [] : [...source.text.matchAll(mark)]
    // The text before the first mark, then each mark with the text after it.
    for (const [index, found] of [undefined, ...marks].entries()) {
      const start = found?.index ?? 0
      const text = source.text.slice(start, marks[index]?.index)
      if (text === '') continue
      const part: Source = { ...source, text, from: source.from + start }
      const markLength = found?.[0].length ?? 0
      if (found?.groups?.['question'] !== undefined) {
        yield* this.end()
        this.#open = { source: part, questionStart: markLength, tokens: countTokens(text) }
        continue
      }
      const open = this.#open
      if (found && open && !open.answer) {
        const answerStart = open.source.text.length
        open.answer = { start: answerStart, textStart: answerStart + markLength }
      }
      yield* this.#continue(part)
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
