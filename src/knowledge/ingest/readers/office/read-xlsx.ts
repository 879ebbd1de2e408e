import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { Margins } from './margins.ts'
import { builtInCode, NumberFormat } from './number-format.ts'
import {
  findMainPart,
  type Relationship,
  readRelationships,
  targetOf,
  targetsById,
} from './office-package.ts'
import { type Merges, marginText, readAttachedTexts, readHiddenHeaders, readMerges } from './sheet-parts.ts'
import { CellBudget, maxColumns, type SheetRow, SheetTables } from './tables.ts'
import { blocksOfXml, parseXml, type XmlAttributes, type XmlEnd, type XmlHandler } from './xml-parser.ts'
import { openZip, type ZipArchive } from './zip-archive.ts'

interface Workbook {
  /** Sheets in tab order, hidden ones last. */
  sheets: { name: string; part: string }[]
  since1904: boolean
  strings: string[]
  /** Number formats by the style index of a cell. */
  formats: NumberFormat[]
}

const general = new NumberFormat('General')

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

const readFormats = async (archive: ZipArchive, part: string): Promise<NumberFormat[]> => {
  const codes = new Map<string, string>()
  const parsed = new Map<string, NumberFormat>()
  const formats: NumberFormat[] = []
  const formatOf = (code: string): NumberFormat => {
    const format = parsed.get(code) ?? new NumberFormat(code)
    parsed.set(code, format)
    return format
  }
  await parseXml(archive.chunks(part), {
    open(element, { numFmtId: id = '0', formatCode = '' }) {
      // The formats of named styles are also `xf` elements; cells do not refer to them. Differential ones repeat numbers.
      if (element === 'cellStyleXfs' || element === 'dxfs') return false
      if (element === 'numFmt') codes.set(id, formatCode)
      else if (element === 'xf') formats.push(formatOf(codes.get(id) ?? builtInCode(Number(id))))
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

/** What WPS Office writes in place of an image in a cell. */
const wpsImage = /^=DISPIMG\("ID_[^"]*",\s*\d+\)$/i

interface Cell {
  type: string
  style: number
  value: string
}

const marginKinds = new Map<string, 'header' | 'footer'>([
  ...(['oddHeader', 'evenHeader', 'firstHeader'] as const).map(name => [name, 'header'] as const),
  ...(['oddFooter', 'evenFooter', 'firstFooter'] as const).map(name => [name, 'footer'] as const),
])

interface SheetParts {
  sheet: string
  merges: Merges
  hiddenHeaders: ReadonlyMap<number, SheetRow>
  margins: Margins
  budget: CellBudget
}

/** The rows of one sheet. Only cells that exist count, not the declared dimension. */
const sheetReader = (
  { strings, formats, since1904 }: Workbook,
  { sheet, merges, hiddenHeaders, margins, budget }: SheetParts,
): XmlHandler & { ready: Block[] } => {
  const ready: Block[] = []
  const tables = new SheetTables(ready, sheet, budget)
  let rowNumber = 0
  let row: SheetRow = new Map()
  let column = -1
  let cell: Cell | undefined
  let margin: string | undefined

  const openRow = (number: number): XmlEnd => {
    // Rows may omit their number, but numbers never decrease.
    rowNumber = number > rowNumber ? number : rowNumber + 1
    row = new Map()
    column = -1
    return () => {
      merges.fill(rowNumber, row)
      const header = hiddenHeaders.get(rowNumber)
      if (header) tables.begin(rowNumber, header)
      tables.add(rowNumber, row)
    }
  }
  const openCell = ({ r: reference, t: type = 'n', s: style = '0', vm }: XmlAttributes): XmlEnd => {
    budget.take(1)
    column = columnOf(reference) ?? column + 1
    const opened: Cell = { type, style: Number(style), value: '' }
    cell = opened
    return () => {
      cell = undefined
      const text = opened.value === '' ? '' : shown(opened).trim()
      // Excel writes an error as the value of an image or a link to data in a cell, for programs that show neither.
      const isImage = wpsImage.test(text) || (type === 'e' && vm !== undefined)
      if (text !== '' && !isImage) row.set(column, text)
    }
  }
  const shown = ({ type, style, value }: Cell): string => {
    if (type === 's') return strings[Number(value)] ?? ''
    if (type === 'b') return /^(1|true)$/i.test(value.trim()) ? 'TRUE' : 'FALSE'
    if (type === 'd') return value.replace(/T00:00:00(\.0+)?Z?$/, '').replace('T', ' ')
    return type === 'n' ? (formats[style] ?? general).show(value, since1904) : value
  }
  return {
    ready,
    open(name, attributes) {
      if (name === 'rPh' || name === 'f') return false
      if (name === 'row') return openRow(Number(attributes['r']))
      if (name === 'c') return openCell(attributes)
      if (name === 'sheetData') return () => tables.end()
      const kind = marginKinds.get(name)
      if (!kind) return
      margin = ''
      return () => {
        margins.add(kind, marginText(margin ?? ''))
        margin = undefined
      }
    },
    text(text, parent) {
      if (margin !== undefined) margin += text
      if (cell && (parent === 'v' || parent === 't')) cell.value += text
    },
  }
}

/** Hidden sheets, rows and columns are included because they often hold lookup data; hidden sheets come last. */
export async function* readXlsx(bytes: Uint8Array): AsyncGenerator<Block> {
  const archive = await openZip(bytes)
  const main = await findMainPart(archive, 'xl/workbook.xml', 'an Excel workbook')
  const workbook = await readWorkbook(archive, main)
  const budget = new CellBudget()
  const margins = new Margins()
  for (const { name, part } of workbook.sheets) {
    const merges = await readMerges(archive.chunks(part))
    const hiddenHeaders = await readHiddenHeaders(archive, part)
    const parts = { sheet: name, merges, hiddenHeaders, margins, budget }
    yield* blocksOfXml(archive.chunks(part), sheetReader(workbook, parts))
    yield* readAttachedTexts(archive, part, name)
  }
  yield* margins.blocks()
}
