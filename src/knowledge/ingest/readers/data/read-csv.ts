import { CsvRows } from '../../../../kernel/csv.ts'
import type { Block } from '../../block.ts'
import { tableBlocks } from '../table-blocks.ts'

/** The rows with cells that are not empty, without the white space around them. */
function* rowsOf(text: string, delimiter: string, from = 0): Generator<string[]> {
  for (const { cells } of new CsvRows(text, delimiter, from)) {
    const row = cells.map(cell => cell.trim())
    if (row.some(cell => cell !== '')) yield row
  }
}

const delimiters = [',', '\t', ';', '|']
const sampleCharacters = 64 * 1024
const sampleRows = 50

/** The share of rows of the most common length; 0 if the delimiter yields a single column. */
const fitOf = (sample: string, delimiter: string): { fit: number; columns: number } => {
  const counts = new Map<number, number>()
  let rows = 0
  for (const row of rowsOf(sample, delimiter)) {
    if (++rows > sampleRows) break
    counts.set(row.length, (counts.get(row.length) ?? 0) + 1)
  }
  const [most] = [...counts].sort((left, right) => right[1] - left[1] || right[0] - left[0])
  const [columns, count] = most ?? [0, 0]
  return { fit: columns > 1 ? count / rows : 0, columns }
}

/** The delimiter that yields the most regular rows. */
const findDelimiter = (text: string, preferred: string): string => {
  // The last line of the sample may be incomplete.
  const cut = text.length > sampleCharacters ? text.lastIndexOf('\n', sampleCharacters) : text.length
  const sample = text.slice(0, cut > 0 ? cut : sampleCharacters)
  let best = { delimiter: preferred, ...fitOf(sample, preferred) }
  for (const delimiter of delimiters) {
    const found = fitOf(sample, delimiter)
    if (found.fit > best.fit || (found.fit > 0 && found.fit === best.fit && found.columns > best.columns * 2))
      best = { delimiter, ...found }
  }
  return best.delimiter
}

const figure = /^[-+(]?[\p{Sc}]?\s?[-+]?\d[\d,.\s']*(?:[eE][-+]?\d+)?\s?[%\p{Sc})]?$/u
const date = /^\d{1,4}[-/.年]\d{1,2}(?:[-/.月]\d{1,4}日?)?(?:[T\s]\d{1,2}:\d{2}.*)?$/
const truth = /^(?:true|false|yes|no|是|否)$/i
const address = /^(?:https?:\/\/\S+|[^\s@]+@[^\s@]+\.\w+)$/
/** Common column names. */
const columnName = /^(?:[a-z]+(?:[_-][a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|#|no\.?)$/
const knownName =
  /^(?:id|name|title|type|date|time|year|month|question|answer|content|text|category|tags?|description|price|amount|count|value|key|email|phone|address|city|country|status|url|score|label|编号|序号|姓名|名称|名字|标题|类型|类别|分类|日期|时间|问题|答案|回答|内容|描述|说明|备注|价格|金额|数量|单价|状态|地址|城市|电话|邮箱|部门|职位|年龄|性别|标签|来源|作者|关键词)$/i

const kindOf = (cell: string): 'empty' | 'text' | 'value' => {
  if (cell === '') return 'empty'
  const short = cell.slice(0, 60)
  return figure.test(short) || date.test(short) || truth.test(short) || address.test(short) ? 'value' : 'text'
}

const maxNameLength = 80

/** Whether the cells of a column differ in kind from its first cell. */
const differs = (name: string, below: string[]): boolean => {
  const filled = below.filter(cell => cell !== '')
  if (filled.length === 0 || filled.includes(name)) return false
  const values = filled.filter(cell => kindOf(cell) === 'value').length
  if (values * 10 >= filled.length * 8) return true
  const length = filled.reduce((sum, cell) => sum + cell.length, 0) / filled.length
  if (length > name.length * 3 && length > 20) return true
  // Values repeat within a column; its name does not.
  return filled.length >= 6 && new Set(filled).size * 2 <= filled.length
}

/** A header has distinct, non-empty texts that are common column names or differ in kind from the cells below. */
const isHeaderRow = (first: string[], rows: string[][]): boolean => {
  // Some exports end each line with a delimiter, which adds an empty last column.
  const names = first.at(-1) === '' ? first.slice(0, -1) : first
  if (names.length === 0 || names.some(name => name.length > maxNameLength || kindOf(name) !== 'text'))
    return false
  if (new Set(names).size !== names.length) return false
  const named = names.filter(name => knownName.test(name) || columnName.test(name)).length
  if (named * 2 >= names.length) return true
  const cellsOf = (column: number): string[] => rows.map(row => row[column] ?? '')
  return names.some((name, column) => differs(name, cellsOf(column)))
}

function* chain(first: string[][], rest: Iterable<string[]>): Generator<string[]> {
  yield* first
  yield* rest
}

/** Delimited text as tables. `preferred` is the delimiter that the file extension implies. */
export function* readCsv(text: string, preferred: ',' | '\t' = ','): Generator<Block> {
  const body = text.replace(/^\ufeff/, '')
  // A line that spreadsheet programs write to declare the delimiter.
  const declared = /^"?sep=(.)"?\r?\n/i.exec(body)
  const delimiter = declared?.[1] ?? findDelimiter(body, preferred)
  const rows = rowsOf(body, delimiter, declared?.[0].length)
  const sample: string[][] = []
  // Leaving a `for … of` loop would end the iterator.
  for (let next = rows.next(); !next.done; next = rows.next()) {
    sample.push(next.value)
    if (sample.length > sampleRows) break
  }
  const [first, ...below] = sample
  if (!first) return
  const header = isHeaderRow(first, below) ? first : undefined
  yield* tableBlocks(header, chain(header ? below : sample, rows))
}
