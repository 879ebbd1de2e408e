import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { Margins } from './margins.ts'
import { general } from './number-format.ts'
import { OpenDocumentLists } from './open-document-lists.ts'
import { OpenDocumentText, shownText } from './open-document-text.ts'
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

const skipped = new Set(['annotation', 'shapes', 'tracked-changes', 'frame'])

class OpenDocumentSheets implements XmlHandler {
  readonly ready: Block[] = []
  readonly #budget = new CellBudget()
  #tables: SheetTables | undefined
  #rowNumber = 0
  #row: SheetRow = new Map()
  #column = 0
  #lines: string[] = []
  #inLine = false

  open(name: string, attributes: XmlAttributes): XmlEnd {
    if (skipped.has(name)) return false
    if (name === 'table') return this.#openTable(attributes['name'] ?? '')
    if (name === 'table-row') return this.#openRow(repeats(attributes['number-rows-repeated']))
    if (name === 'table-cell') return this.#openCell(attributes)
    if (name === 'covered-table-cell') this.#column += repeats(attributes['number-columns-repeated'])
    else if (name === 'p') return this.#openLine()
    else if (name === 's' || name === 'line-break' || name === 'tab') this.text(' ')
  }

  text(text: string): void {
    if (this.#inLine) this.#lines.push((this.#lines.pop() ?? '') + text)
  }

  #openTable(name: string): XmlEnd {
    const tables = new SheetTables(this.ready, name, this.#budget)
    this.#tables = tables
    this.#rowNumber = 0
    return () => tables.end()
  }

  #openRow(times: number): XmlEnd {
    this.#row = new Map()
    this.#column = 0
    return () => {
      for (let time = 0; this.#row.size > 0 && time < Math.min(times, maxRepeats); time++) {
        if (time > 0) this.#budget.take(this.#row.size)
        this.#tables?.add(this.#rowNumber + time + 1, this.#row)
      }
      this.#rowNumber += times
    }
  }

  #openCell(attributes: XmlAttributes): XmlEnd {
    this.#lines = []
    return () => {
      const text = shownValue(attributes, this.#lines.join('\n'))
      const times = repeats(attributes['number-columns-repeated'])
      const end = Math.min(this.#column + Math.min(times, maxRepeats), maxColumns)
      for (let column = this.#column; text !== '' && column < end; column++) {
        this.#budget.take(1)
        this.#row.set(column, text)
      }
      this.#column += times
    }
  }

  #openLine(): XmlEnd {
    this.#lines.push('')
    this.#inLine = true
    return () => {
      this.#inLine = false
    }
  }
}

const manifest = 'META-INF/manifest.xml'
const content = 'content.xml'
const styles = 'styles.xml'

/** The styles part: lists, the numbers of headings, and what the pages repeat. */
class StylesReader implements XmlHandler {
  readonly #lists: OpenDocumentLists
  readonly #margins: Margins
  #margin: OpenDocumentText | undefined

  constructor(lists: OpenDocumentLists, margins: Margins) {
    this.#lists = lists
    this.#margins = margins
  }

  open(name: string, attributes: XmlAttributes): XmlEnd {
    if (this.#margin) return this.#margin.open(name, attributes)
    const kind = /^(header|footer)(?:-left|-first)?$/.exec(name)?.[1]
    if (kind === undefined) return void this.#lists.define(name, attributes)
    const margin = new OpenDocumentText(this.#lists, this.#margins)
    this.#margin = margin
    return () => {
      this.#margin = undefined
      this.#margins.add(kind as 'header' | 'footer', margin.ready.map(shownText).join(' '))
    }
  }

  text(text: string, parent: string): void {
    this.#margin?.text(text, parent)
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
  if (kind === 'ods') return yield* blocksOfXml(archive.chunks(content), new OpenDocumentSheets())
  const lists = new OpenDocumentLists()
  const margins = new Margins()
  if (archive.has(styles)) await parseXml(archive.chunks(styles), new StylesReader(lists, margins))
  yield* blocksOfXml(archive.chunks(content), new OpenDocumentText(lists, margins))
  yield* margins.blocks()
}
