import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import {
  findMainPart,
  type Relationship,
  readRelationships,
  targetOf,
  targetsById,
} from './office-package.ts'
import { CellBudget, maxColumns, type SheetRow, SheetTables } from './tables.ts'
import { blocksOfXml, parseXml, type XmlAttributes, type XmlEnd, type XmlHandler } from './xml-parser.ts'
import { openZip, type ZipArchive } from './zip-archive.ts'

type CellFormat = 'plain' | 'percent' | 'date' | 'time' | 'date-time' | 'duration'

const dateIds = new Set([14, 15, 16, 17, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 57, 58])
const timeIds = new Set([18, 19, 20, 21, 32, 33, 45, 47, 55, 56])

/** The built-in formats, which are identified by number. */
const builtInFormat = (id: number): CellFormat => {
  if (dateIds.has(id)) return 'date'
  if (timeIds.has(id)) return 'time'
  if (id === 22) return 'date-time'
  if (id === 46) return 'duration'
  return id === 9 || id === 10 ? 'percent' : 'plain'
}

/** Derived from the letters of the code, such as `yyyy"年"m"月"`, ignoring quoted, escaped and bracketed parts. */
export const formatOf = (code: string): CellFormat => {
  if (/\[(h+|m+|s+)\]/i.test(code)) return 'duration'
  const bare = code
    .replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, '')
    .replace(/am\/pm|a\/p|上午\/下午/gi, '')
    .replace(/;.*$/s, '')
  if (/general|standard/i.test(bare)) return 'plain'
  const hasTime = /[hs]/i.test(bare)
  const hasDate = /[yd]/i.test(bare) || (/m/i.test(bare) && !hasTime)
  if (hasDate) return hasTime ? 'date-time' : 'date'
  if (hasTime) return 'time'
  return bare.includes('%') ? 'percent' : 'plain'
}

const dayMilliseconds = 86_400_000
const lastDay = 2_958_465

/** Spreadsheets keep fifteen digits; the rest is binary noise. */
const plain = (value: number): string => String(Number(value.toPrecision(15)))

const pad = (value: number): string => String(value).padStart(2, '0')

const duration = (value: number): string => {
  const seconds = Math.round(value * 86_400)
  return `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`
}

/** Days since the end of 1899. Day 60 is the nonexistent 29 February 1900. */
const isoTime = (value: number, since1904: boolean): string => {
  const days = since1904 ? value + 1462 : value < 60 ? value + 1 : value
  const rounded = Math.round(days * 86_400) * 1000
  return new Date(Date.UTC(1899, 11, 30) + rounded).toISOString()
}

const formatDateTime = (value: number, format: CellFormat, since1904: boolean): string => {
  const iso = isoTime(value, since1904)
  const time = iso.slice(11, 19)
  if (format === 'time' && value < 1) return time
  const wholeDay = (value * dayMilliseconds) % dayMilliseconds === 0
  return format === 'date' || wholeDay ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${time}`
}

/** A number as displayed, but not rounded: dates in ISO form, percentages with a percent sign. */
export const formatNumber = (text: string, format: CellFormat, since1904: boolean): string => {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return text.trim()
  if (format === 'percent') return `${plain(value * 100)}%`
  if (format === 'plain' || value < 0 || value > lastDay) return plain(value)
  return format === 'duration' ? duration(value) : formatDateTime(value, format, since1904)
}

interface Workbook {
  /** In tab order, hidden sheets last. */
  sheets: { name: string; part: string }[]
  since1904: boolean
  strings: string[]
  /** By the style index of a cell. */
  formats: CellFormat[]
}

const maxStrings = 2_000_000

const readSheets = async (archive: ZipArchive, main: string, relationships: Relationship[]) => {
  const partOf = targetsById(relationships)
  const seen: Workbook['sheets'] = []
  const hidden: Workbook['sheets'] = []
  let since1904 = false
  await parseXml(archive.chunks(main), {
    open(element, attributes) {
      if (element === 'workbookPr') since1904 = /^(1|true)$/i.test(attributes['date1904'] ?? '')
      const part = element === 'sheet' ? partOf(attributes) : undefined
      if (part === undefined) return
      const list = (attributes['state'] ?? 'visible') === 'visible' ? seen : hidden
      list.push({ name: attributes['name'] ?? '', part })
    },
  })
  return { sheets: [...seen, ...hidden], since1904 }
}

/** A string may consist of runs with different formatting; phonetic readings (`rPh`) are not part of it. */
const readStrings = async (archive: ZipArchive, part: string): Promise<string[]> => {
  const strings: string[] = []
  let text = ''
  await parseXml(archive.chunks(part), {
    open(element) {
      if (element === 'rPh') return false
      if (element !== 'si') return undefined
      text = ''
      return () => {
        strings.push(text)
        if (strings.length > maxStrings)
          throw new DocumentFailure('too_large', 'The workbook has more than 2,000,000 texts. Split it.')
      }
    },
    text(piece, parent) {
      if (parent === 't') text += piece
    },
  })
  return strings
}

const readFormats = async (archive: ZipArchive, part: string): Promise<CellFormat[]> => {
  const own = new Map<string, CellFormat>()
  const formats: CellFormat[] = []
  await parseXml(archive.chunks(part), {
    open(element, { numFmtId: id = '0', formatCode = '' }) {
      // The formats of named styles are also `xf` elements; cells do not refer to them.
      if (element === 'cellStyleXfs') return false
      if (element === 'numFmt') own.set(id, formatOf(formatCode))
      else if (element === 'xf') formats.push(own.get(id) ?? builtInFormat(Number(id)))
    },
  })
  return formats
}

const readWorkbook = async (archive: ZipArchive, main: string): Promise<Workbook> => {
  const relationships = await readRelationships(archive, main)
  const strings = targetOf(relationships, 'sharedStrings')
  const styles = targetOf(relationships, 'styles')
  return {
    ...(await readSheets(archive, main, relationships)),
    strings: strings === undefined ? [] : await readStrings(archive, strings),
    formats: styles === undefined ? [] : await readFormats(archive, styles),
  }
}

/** Counts from 0, such as 27 for `AB12`; `undefined` if the cell has no reference. */
const columnOf = (reference: string | undefined): number | undefined => {
  if (reference === undefined) return undefined
  const letters = /^[A-Z]*/i.exec(reference)![0].toUpperCase()
  let column = 0
  for (const letter of letters.slice(0, 4)) column = column * 26 + letter.charCodeAt(0) - 64
  if (column < 1 || column > maxColumns)
    throw new DocumentFailure(
      'broken_file',
      `The file is damaged: invalid cell reference "${reference.slice(0, 20)}".`,
    )
  return column - 1
}

interface Cell {
  type: string
  style: number
  value: string
}

/** The rows of one sheet. Only cells that exist count, not the declared dimension. */
class SheetReader implements XmlHandler {
  readonly ready: Block[] = []
  readonly #workbook: Workbook
  readonly #tables: SheetTables
  readonly #budget: CellBudget
  #rowNumber = 0
  #row: SheetRow = new Map()
  #column = -1
  #cell: Cell | undefined

  constructor(workbook: Workbook, sheet: string, budget: CellBudget) {
    this.#workbook = workbook
    this.#budget = budget
    this.#tables = new SheetTables(this.ready, sheet, budget)
  }

  open(name: string, attributes: XmlAttributes): XmlEnd {
    if (name === 'rPh' || name === 'f') return false
    if (name === 'row') return this.#openRow(Number(attributes['r']))
    if (name === 'c') return this.#openCell(attributes)
    if (name === 'sheetData') return () => this.#tables.end()
  }

  text(text: string, parent: string): void {
    if (this.#cell && (parent === 'v' || parent === 't')) this.#cell.value += text
  }

  #openRow(number: number): XmlEnd {
    // Rows may omit their number, but numbers never decrease.
    this.#rowNumber = number > this.#rowNumber ? number : this.#rowNumber + 1
    this.#row = new Map()
    this.#column = -1
    return () => this.#tables.add(this.#rowNumber, this.#row)
  }

  #openCell({ r: reference, t: type = 'n', s: style = '0' }: XmlAttributes): XmlEnd {
    this.#budget.take(1)
    this.#column = columnOf(reference) ?? this.#column + 1
    const cell: Cell = { type, style: Number(style), value: '' }
    this.#cell = cell
    return () => {
      this.#cell = undefined
      const text = cell.value === '' ? '' : this.#show(cell).trim()
      if (text !== '') this.#row.set(this.#column, text)
    }
  }

  #show({ type, style, value }: Cell): string {
    const { strings, formats, since1904 } = this.#workbook
    if (type === 's') return strings[Number(value)] ?? ''
    if (type === 'b') return /^(1|true)$/i.test(value.trim()) ? 'TRUE' : 'FALSE'
    if (type === 'd') return value.replace(/T00:00:00(\.0+)?Z?$/, '').replace('T', ' ')
    return type === 'n' ? formatNumber(value, formats[style] ?? 'plain', since1904) : value
  }
}

/** Hidden sheets are included because they often hold lookup data, but come last. */
export async function* readXlsx(bytes: Uint8Array): AsyncGenerator<Block> {
  const archive = await openZip(bytes)
  const main = await findMainPart(archive, 'xl/workbook.xml', 'an Excel workbook')
  const workbook = await readWorkbook(archive, main)
  const budget = new CellBudget()
  for (const { name, part } of workbook.sheets)
    yield* blocksOfXml(archive.chunks(part), new SheetReader(workbook, name, budget))
}
