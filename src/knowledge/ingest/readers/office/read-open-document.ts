import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { OpenDocumentText } from './open-document-text.ts'
import { CellBudget, maxColumns, type SheetRow, SheetTables } from './tables.ts'
import { blocksOfXml, parseXml, type XmlAttributes, type XmlHandler } from './xml-parser.ts'
import { openZip, type ZipArchive } from './zip-archive.ts'

/** Empty cells repeat up to the end of a sheet; repeated content is entered by people and rarely exceeds this. */
const maxRepeats = 1000

const repeats = (text: string | undefined): number => Math.max(1, Math.trunc(Number(text)) || 1)

/** The stored value, because the displayed text may be rounded or localized. */
const storedValue = (attributes: XmlAttributes, text: string): string => {
  const { value, 'value-type': type, 'date-value': date, 'boolean-value': truth } = attributes
  if (type === 'date' && date !== undefined) return date.replace(/T00:00:00$/, '').replace('T', ' ')
  if (type === 'boolean' && truth !== undefined) return truth.toUpperCase()
  if (type === 'float' && value !== undefined && Number.isFinite(Number(value)))
    return String(Number(Number(value).toPrecision(15)))
  return text.trim()
}

/** The sheets of an OpenDocument spreadsheet. */
class OpenDocumentSheets implements XmlHandler {
  readonly ready: Block[] = []
  readonly #budget = new CellBudget()
  #tables: SheetTables | undefined
  #rowNumber = 0
  #rowRepeats = 1
  #row: SheetRow = new Map()
  #column = 0
  #cell: { attributes: XmlAttributes; lines: string[] } | undefined
  #inLine = false

  skips(name: string): boolean {
    return name === 'annotation' || name === 'shapes' || name === 'tracked-changes' || name === 'frame'
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'table') {
      this.#tables = new SheetTables(this.ready, attributes['name'] ?? '', this.#budget)
      this.#rowNumber = 0
    } else if (name === 'table-row') {
      this.#row = new Map()
      this.#column = 0
      this.#rowRepeats = repeats(attributes['number-rows-repeated'])
    } else if (name === 'table-cell' || name === 'covered-table-cell') this.#cell = { attributes, lines: [] }
    else if (this.#cell && name === 'p') {
      this.#cell.lines.push('')
      this.#inLine = true
    } else if (name === 's' || name === 'line-break' || name === 'tab') this.text(' ')
  }

  close(name: string): void {
    if (name === 'p') this.#inLine = false
    else if (name === 'table-cell' || name === 'covered-table-cell') this.#closeCell(name)
    else if (name === 'table-row') this.#closeRow()
    else if (name === 'table') this.#tables?.end()
  }

  text(text: string): void {
    if (this.#cell && this.#inLine) this.#cell.lines.push((this.#cell.lines.pop() ?? '') + text)
  }

  #closeCell(name: string): void {
    const { attributes, lines } = this.#cell ?? { attributes: {}, lines: [] }
    this.#cell = undefined
    const times = repeats(attributes['number-columns-repeated'])
    const text = name === 'table-cell' ? storedValue(attributes, lines.join('\n')) : ''
    if (text !== '')
      for (let time = 0; time < Math.min(times, maxRepeats) && this.#column + time < maxColumns; time++) {
        this.#budget.take(1)
        this.#row.set(this.#column + time, text)
      }
    this.#column += times
  }

  #closeRow(): void {
    if (this.#row.size > 0)
      for (let time = 0; time < Math.min(this.#rowRepeats, maxRepeats); time++) {
        if (time > 0) this.#budget.take(this.#row.size)
        this.#tables?.add(this.#rowNumber + time + 1, this.#row)
      }
    this.#rowNumber += this.#rowRepeats
  }
}

const manifest = 'META-INF/manifest.xml'
const content = 'content.xml'

const rejectEncrypted = async (archive: ZipArchive): Promise<void> => {
  if (!archive.has(manifest)) return
  await parseXml(archive.chunks(manifest), {
    open(name) {
      if (name === 'encryption-data')
        throw new DocumentFailure(
          'encrypted',
          'The file is protected with a password. Upload it without one.',
        )
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
  yield* blocksOfXml(
    archive.chunks(content),
    kind === 'ods' ? new OpenDocumentSheets() : new OpenDocumentText(),
  )
}
