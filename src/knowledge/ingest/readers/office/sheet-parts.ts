import type { Block } from '../../block.ts'
import { imageText } from './image-text.ts'
import { readRelationships } from './office-package.ts'
import { maxColumns, type SheetRow } from './tables.ts'
import { parseXml } from './xml-parser.ts'
import type { ZipArchive } from './zip-archive.ts'

const maxMerges = 20_000
const maxMergedRows = 500
/** Text repeated in every merged row must be short, or a small file could grow without bound. */
const maxRepeatedLength = 200

const columnIndex = (letters: string): number => {
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

/** Cells merged over several rows: only the first has the text, and the rows below belong to it. */
export class Merges {
  /** The column and the last row of merged cells, by their first row. */
  readonly #starts = new Map<number, { column: number; last: number }[]>()
  #open: { column: number; last: number; text: string }[] = []
  #count = 0

  add(column: number, first: number, last: number): void {
    const rows = last - first
    if (rows < 1 || rows > maxMergedRows || ++this.#count > maxMerges) return
    const starts = this.#starts.get(first) ?? []
    starts.push({ column, last })
    this.#starts.set(first, starts)
  }

  /** Repeats the text in the rows below, so that each row can be understood alone. Rows without content stay empty. */
  fill(number: number, row: SheetRow): void {
    if (this.#starts.size === 0) return
    this.#open = this.#open.filter(({ last }) => last >= number)
    if (row.size > 0) for (const { column, text } of this.#open) if (!row.has(column)) row.set(column, text)
    for (const { column, last } of this.#starts.get(number) ?? []) {
      const text = row.get(column)
      if (text !== undefined && text.length <= maxRepeatedLength) this.#open.push({ column, last, text })
    }
  }
}

const merged = /mergeCell\s[^>]*?ref="([A-Z]{1,3})(\d{1,10}):[A-Z]{1,3}(\d{1,10})"/gi

/** Merged cells are listed after the rows. A search in the bytes finds the list without parsing the sheet twice. */
export const readMerges = async (chunks: AsyncIterable<Uint8Array>): Promise<Merges> => {
  const merges = new Merges()
  const start = 'mergeCells'
  let tail: Buffer = Buffer.alloc(0)
  let isFound = false
  for await (const chunk of chunks) {
    let piece = Buffer.concat([tail, chunk])
    if (!isFound) {
      const at = piece.indexOf(start)
      isFound = at >= 0
      piece = piece.subarray(isFound ? at : Math.max(0, piece.length - start.length))
    }
    if (isFound) {
      const text = piece.toString('latin1')
      const end = text.lastIndexOf('>') + 1
      for (const [, letters = '', first, last] of text.slice(0, end).matchAll(merged))
        merges.add(columnIndex(letters), Number(first), Number(last))
      piece = piece.subarray(end)
    }
    tail = piece
  }
  return merges
}

const tablePlace = /^([A-Z]{1,3})(\d{1,7}):/i
/** That of Excel. The names are repeated with the rows, so a long one would make a small file large. */
const maxNameLength = 255
const madeUpName = /^\p{L}+(\d+)$/u
/** Line breaks and other control characters of a name. */
const escapedControl = /_x00[01][\da-f]_/gi

/** The names of the columns of tables whose header row is hidden, by the number of their first row. */
export async function readHiddenHeaders(archive: ZipArchive, part: string): Promise<Map<number, SheetRow>> {
  const headers = new Map<number, SheetRow>()
  const tables = (await readRelationships(archive, part)).filter(({ type }) => type === 'table')
  for (const { target } of tables.slice(0, maxTexts)) {
    const names: string[] = []
    let place: RegExpExecArray | null = null
    await parseXml(archive.chunks(target), {
      open(element, { ref = '', headerRowCount, name = '' }) {
        if (element === 'table' && headerRowCount === '0') place = tablePlace.exec(ref)
        if (element === 'tableColumn' && place && names.length < maxColumns)
          names.push(name.slice(0, maxNameLength).replace(escapedControl, ' ').trim())
      },
    })
    // Excel names columns in this way until a user does.
    if (!place || names.every((name, at) => madeUpName.exec(name)?.[1] === String(at + 1))) continue
    const [, letters = '', first] = place as RegExpExecArray
    const header = headers.get(Number(first)) ?? new Map<number, string>()
    for (const [at, name] of names.entries())
      if (name !== '') header.set(columnIndex(letters) + at, name.replace(/\s+/g, ' '))
    headers.set(Number(first), header)
  }
  return headers
}

const marginCode = /&(?:"[^"]*"|K(?:[\da-f]{6}|\d\d[+-]\d{3})|\d+ ?|(.))/gis
// Characters that XML cannot contain.
const sectionMark = '\u0000'
const pageMark = '\u0001'
/** A section with a page number and no more letters than in "Page 1 of 9" says nothing. */
const maxPageLetters = 12

const codeText = (code = ''): string => {
  if (/[LCR]/i.test(code)) return sectionMark
  if (/[PN]/i.test(code)) return pageMark
  return code === '&' ? '&' : ''
}

/**
 * A header or footer without its codes, such as `&L` for its left section, `&P` for the page number, and `&"Arial,Bold"`
 * and `&12` for the font.
 */
export const marginText = (coded: string): string =>
  coded
    .replace(marginCode, (_, code) => codeText(code))
    .split(sectionMark)
    .map(part => {
      const letters = part.match(/\p{L}/gu)?.length ?? 0
      return letters <= maxPageLetters && part.includes(pageMark) ? '' : part.replaceAll(pageMark, '')
    })
    .join(' ')

/** Maximum number of texts beside the cells of one part. */
export const maxTexts = 10_000

/** The paragraphs of a drawing, a chart or a list of comments; `p` and `t` have the same meaning in all of them. */
const readTexts = async (archive: ZipArchive, part: string, paragraph: string): Promise<string[]> => {
  const texts: string[] = []
  let text: string | undefined
  const add = (whole: string): void => {
    if (whole !== '' && texts.length < maxTexts) texts.push(whole)
  }
  await parseXml(archive.chunks(part), {
    open(name, { ref, title, descr }) {
      if (name === 'br' && text !== undefined) text += '\n'
      if (name === 'cNvPr') add(imageText(title, descr))
      if (name !== paragraph || text !== undefined) return undefined
      text = ''
      return () => {
        const whole = text?.trim() ?? ''
        text = undefined
        if (whole !== '') add(ref === undefined ? whole : `${ref}: ${whole}`)
      }
    },
    text(piece, parent) {
      if (text !== undefined && (parent === 't' || parent === 'text')) text += piece
    },
  })
  return texts
}

/** Titles of charts, texts of diagrams, text boxes, alternative texts of images, and comments: what people wrote beside the cells. */
export async function* readAttachedTexts(
  archive: ZipArchive,
  part: string,
  sheet: string,
): AsyncGenerator<Block> {
  const related = await readRelationships(archive, part)
  const threads = related.filter(({ type }) => type === 'threadedComment')
  // Old programs are shown a copy of each thread as a comment, which must not be read twice.
  const comments = threads.length > 0 ? [] : related.filter(({ type }) => type === 'comments')
  const drawings = related.filter(({ type }) => type === 'drawing')
  for (const { target } of [...drawings]) {
    const inside = (await readRelationships(archive, target)).filter(
      ({ type }) => type === 'chart' || type === 'diagramData',
    )
    for (const { target: each } of [{ target }, ...inside])
      for (const text of await readTexts(archive, each, 'p')) yield { kind: 'paragraph', text, sheet }
  }
  for (const { target } of comments)
    for (const text of await readTexts(archive, target, 'comment'))
      yield { kind: 'paragraph', text: `Comment ${text}`, sheet }
  for (const { target } of threads)
    for (const text of await readTexts(archive, target, 'threadedComment'))
      yield { kind: 'paragraph', text: `Comment ${text}`, sheet }
}
