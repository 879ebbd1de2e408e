import { rowCells, rowGap, rowText, withBoundedSpace } from './document-text.ts'
import { isPair, type Pair } from './pair.ts'
import type { Piece, Unit } from './piece.ts'
import { rowPieces, type TableSource } from './table-unit.ts'

const questionNames = new Set(
  'question questions q 问题 问 提问 问句 常见问题 标准问题 标准问 問題 問'.split(' '),
)
const answerNames = new Set(
  'answer answers a 答案 答 回答 解答 答复 回复 标准答案 標準答案 回覆 答覆'.split(' '),
)

interface Columns {
  question: number
  answer: number
  /** The header names the columns and is not itself a question. */
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

/** Other columns, such as a category, stand under the answer with their names. */
const answerOf = (row: string[], header: string[], { question, answer }: Columns): string => {
  const others = row
    .map((cell, index) => ({ cell: clean(cell), name: clean(header[index]), index }))
    .filter(({ cell, index }) => cell !== '' && index !== question && index !== answer)
    .map(({ cell, name }) => (name === '' ? cell : `${name}: ${cell}`))
  const own = clean(row[answer])
  return own === '' ? '' : [own, ...others].join('\n')
}

const pairOf = (row: string[], from: number, source: TableSource, columns: Columns): Pair => ({
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
 * A table of questions and answers, row by row; `undefined` if it is not one. Rows with an empty cell are no pairs.
 * `goesOn` tells that it is more of the table before, whose header has been dealt with.
 */
export const questionsInTable = (
  source: TableSource,
  goesOn: boolean,
  size: number,
): Iterable<{ pair: Pair } | { unit: Unit }> | undefined => {
  const columns = source.rows.length > 0 ? columnsOf(source) : undefined
  return columns && rowsOf(source, columns, goesOn, size)
}

function* rowsOf(source: TableSource, columns: Columns, goesOn: boolean, size: number) {
  const { header } = source
  // A first row that does not name the columns is as good a pair as any: many such tables have no header.
  const isHeader = columns.named
  const hasHeader = rowText(header) !== ''
  const lines = hasHeader ? [header, ...source.rows] : source.rows
  let from = source.from
  for (const [index, row] of lines.entries()) {
    const start = from
    from += rowText(row).length + rowGap.length
    if (index === 0 && hasHeader && (isHeader || goesOn)) continue
    const pair = pairOf(row, start, source, columns)
    if (isPair(pair, size)) yield { pair }
    else {
      const gap = index === lines.length - 1 ? source.gap : rowGap
      const single = { ...source, header: isHeader ? header : [], rows: [row], gap }
      yield { unit: rowUnit([...rowPieces(single, start, size)], source, size) }
    }
  }
}
