import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { Margins } from './margins.ts'
import { general } from './number-format.ts'
import { OpenDocumentLists } from './open-document-lists.ts'
import { OpenDocumentScripts } from './open-document-scripts.ts'
import {
  folderOf,
  looks,
  type OpenDocumentContext,
  OpenDocumentText,
  shapes,
  shownText,
} from './open-document-text.ts'
import { Merges, maxTexts } from './sheet-parts.ts'
import { CellBudget, maxColumns, type SheetRow, SheetTables } from './tables.ts'
import { blocksOfXml, parseXml, type XmlAttributes, type XmlEnd, type XmlHandler } from './xml-parser.ts'
import { encrypted, openZip, type ZipArchive } from './zip-archive.ts'

/** Empty cells repeat up to the end of a sheet; repeated content is entered by people and rarely exceeds this. */
const maxRepeats = 1000

const repeats = (text: string | undefined): number => Math.max(1, Math.trunc(Number(text)) || 1)

/** The text as displayed, which the file has beside the value; some writers leave it out. */
const shownValue = (attributes: XmlAttributes, text: string): string => {
  const { value = '', 'value-type': type, 'date-value': date, 'boolean-value': truth } = attributes
  // Too narrow a column is displayed as "###".
  if (text.trim() !== '' && !/^#+$/.test(text.trim())) return text.trim()
  if (type === 'date' && date !== undefined) return date.replace(/T00:00:00$/, '').replace('T', ' ')
  if (type === 'boolean' && truth !== undefined) return truth.toUpperCase()
  if (type === 'string') return attributes['string-value']?.trim() ?? ''
  if (type === 'percentage' && Number.isFinite(Number(value))) return `${general(Number(value) * 100)}%`
  return value !== '' && Number.isFinite(Number(value)) ? general(Number(value)) : ''
}

/** `B` for 1. */
const columnName = (column: number): string =>
  (column < 26 ? '' : columnName(Math.trunc(column / 26) - 1)) + String.fromCharCode(65 + (column % 26))

/** The blocks of embedded objects, by the folders that hold them. */
type EmbeddedObjects = Map<string, Block[]>

/** The titles of a chart in a sheet: its values are those of cells. */
const chartTitles = (): XmlHandler & { ready: Block[] } => {
  const ready: Block[] = []
  let title: string | undefined
  const add = (text: string): void => {
    if (title !== undefined) title += text
  }
  return {
    ready,
    open(name) {
      if (name === 'table') return false
      if (name === 's' || name === 'line-break' || name === 'tab') add(' ')
      if (name !== 'p') return undefined
      title = ''
      return () => {
        const text = title?.trim() ?? ''
        title = undefined
        if (text !== '' && ready.length < maxTexts) ready.push({ kind: 'paragraph', text })
      }
    },
    text: add,
  }
}

const sheetsReader = (charts: EmbeddedObjects): XmlHandler & { ready: Block[] } => {
  const ready: Block[] = []
  const budget = new CellBudget()
  let tables: SheetTables | undefined
  let merges = new Merges()
  /** Comments, text boxes and titles of charts of the sheet, which follow its cells. */
  let asides: string[] = []
  /** Rows before the open one. */
  let rowNumber = 0
  let row: SheetRow = new Map()
  let column = 0
  let lines: string[] = []
  let isInLine = false

  const add = (text: string): void => {
    if (isInLine) lines.push((lines.pop() ?? '') + text)
  }
  const addAsides = (texts: string[]): void => {
    for (const text of texts) if (asides.length < maxTexts) asides.push(text)
  }
  const openTable = (name: string): XmlEnd => {
    const opened = new SheetTables(ready, name, budget)
    tables = opened
    merges = new Merges()
    asides = []
    rowNumber = 0
    return () => {
      opened.end()
      for (const text of asides) ready.push({ kind: 'paragraph', text, sheet: name })
    }
  }
  const openRow = (times: number): XmlEnd => {
    row = new Map()
    column = 0
    return () => {
      merges.fill(rowNumber + 1, row)
      for (let time = 0; row.size > 0 && time < Math.min(times, maxRepeats); time++) {
        if (time > 0) budget.take(row.size)
        tables?.add(rowNumber + time + 1, row)
      }
      rowNumber += times
    }
  }
  const openCell = (attributes: XmlAttributes): XmlEnd => {
    lines = []
    return () => {
      const text = shownValue(attributes, lines.join('\n'))
      const times = repeats(attributes['number-columns-repeated'])
      const end = Math.min(column + Math.min(times, maxRepeats), maxColumns)
      for (let at = column; text !== '' && at < end; at++) {
        budget.take(1)
        row.set(at, text)
      }
      merges.add(column, rowNumber + 1, rowNumber + repeats(attributes['number-rows-spanned']))
      column += times
    }
  }
  /** Opens an element whose lines are not part of the cell around it. */
  const openAside = (textsOf: (lines: string[]) => string[]): XmlEnd => {
    const outer = { lines, isInLine }
    lines = []
    isInLine = false
    return () => {
      addAsides(textsOf(lines.map(line => line.trim()).filter(line => line !== '')))
      lines = outer.lines
      isInLine = outer.isInLine
    }
  }
  const openComment = (): XmlEnd => {
    const cell = `${columnName(column)}${rowNumber + 1}`
    return openAside(found => (found.length > 0 ? [`Comment ${cell}: ${found.join('\n')}`] : []))
  }
  const openLine = (): XmlEnd => {
    lines.push('')
    isInLine = true
    return () => {
      isInLine = false
    }
  }
  return {
    ready,
    open(name, attributes) {
      if (name === 'tracked-changes') return false
      if (name === 'annotation') return openComment()
      if (shapes.has(name)) return openAside(found => found)
      if (name === 'table') return openTable(attributes['name'] ?? '')
      if (name === 'table-row') return openRow(repeats(attributes['number-rows-repeated']))
      if (name === 'table-cell') return openCell(attributes)
      if (name === 'covered-table-cell') column += repeats(attributes['number-columns-repeated'])
      else if (name === 'object')
        addAsides((charts.get(folderOf(attributes['href'] ?? '')) ?? []).map(shownText))
      else if (name === 'p') return openLine()
      else if (name === 's' || name === 'line-break' || name === 'tab') add(' ')
    },
    text: add,
  }
}

const manifest = 'META-INF/manifest.xml'
const content = 'content.xml'
const styles = 'styles.xml'

/** Reads the styles part: lists, the numbers of headings, and the headers and footers of pages. */
const stylesReader = (context: OpenDocumentContext): XmlHandler => {
  const { lists, scripts, margins } = context
  let margin: OpenDocumentText | undefined
  return {
    unused: looks,
    open(name, attributes) {
      if (margin) return margin.open(name, attributes)
      const kind = /^(header|footer)(?:-left|-first)?$/.exec(name)?.[1]
      if (kind === undefined) {
        lists.define(name, attributes)
        return void scripts.define(name, attributes)
      }
      const opened = new OpenDocumentText(context)
      margin = opened
      return () => {
        margin = undefined
        margins.add(kind as 'header' | 'footer', opened.ready.map(shownText).join(' '))
      }
    },
    text: (text, parent) => margin?.text(text, parent),
  }
}

const maxObjects = 500

/** Formulas, charts and sheets inside the document. One that cannot be read is left out. */
const readObjects = async (
  archive: ZipArchive,
  objects: EmbeddedObjects,
  makeReader: () => XmlHandler & { ready: Block[] },
): Promise<void> => {
  for (const name of archive.names) {
    const folder = /^([^/]+)\/content\.xml$/.exec(name)?.[1]
    if (folder === undefined || objects.size >= maxObjects) continue
    const object = makeReader()
    try {
      await parseXml(archive.chunks(name), object)
      objects.set(folder, object.ready)
    } catch (error) {
      if (!(error instanceof DocumentFailure && error.code === 'broken_file')) throw error
    }
  }
}

const rejectEncrypted = async (archive: ZipArchive): Promise<void> => {
  if (!archive.has(manifest)) return
  await parseXml(archive.chunks(manifest), {
    open(name) {
      if (name === 'encryption-data') throw encrypted()
    },
  })
}

export async function* readOpenDocument(
  bytes: Uint8Array,
  kind: 'odt' | 'ods' | 'odp',
): AsyncGenerator<Block> {
  const archive = await openZip(bytes)
  await rejectEncrypted(archive)
  if (!archive.has(content))
    throw new DocumentFailure(
      'broken_file',
      'The file is not an OpenDocument file: its main part is missing.',
    )
  if (kind === 'ods') {
    const charts: EmbeddedObjects = new Map()
    await readObjects(archive, charts, chartTitles)
    return yield* blocksOfXml(archive.chunks(content), sheetsReader(charts))
  }
  const context: OpenDocumentContext = {
    lists: new OpenDocumentLists(),
    scripts: new OpenDocumentScripts(),
    margins: new Margins(),
    budget: new CellBudget(),
    objects: new Map(),
    hasSlides: kind === 'odp',
  }
  if (archive.has(styles)) await parseXml(archive.chunks(styles), stylesReader(context))
  const inside = () => new OpenDocumentText({ ...context, lists: new OpenDocumentLists(), hasSlides: false })
  await readObjects(archive, context.objects, inside)
  yield* blocksOfXml(archive.chunks(content), new OpenDocumentText(context))
  yield* context.margins.blocks()
}
