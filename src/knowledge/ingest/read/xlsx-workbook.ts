import { DocumentFailure } from '../document-failure.ts'
import { builtInFormat, type CellFormat, formatOf } from './cell-format.ts'
import { type Relationship, readRelationships, targetOf } from './office-package.ts'
import { parseXml } from './xml-events.ts'
import type { XmlHandler } from './xml-handler.ts'
import type { ZipArchive } from './zip-archive.ts'

export interface Workbook {
  /** In the order of the tabs, with the hidden ones after those that are seen. */
  sheets: { name: string; part: string }[]
  since1904: boolean
  strings: string[]
  /** By the style number of a cell. */
  formats: CellFormat[]
}

const maxStrings = 2_000_000

const readSheets = async (
  archive: ZipArchive,
  main: string,
  relationships: Relationship[],
): Promise<Pick<Workbook, 'sheets' | 'since1904'>> => {
  const parts = new Map(relationships.map(({ id, target }) => [id, target]))
  const seen: Workbook['sheets'] = []
  const hidden: Workbook['sheets'] = []
  let since1904 = false
  await parseXml(archive.chunks(main), {
    open(element, attributes) {
      if (element === 'workbookPr') since1904 = /^(1|true)$/i.test(attributes['date1904'] ?? '')
      if (element !== 'sheet') return
      const id = Object.keys(attributes).find(name => name.endsWith(':id')) ?? 'id'
      const part = parts.get(attributes[id] ?? '')
      if (part === undefined) return
      const list = (attributes['state'] ?? 'visible') === 'visible' ? seen : hidden
      list.push({ name: attributes['name'] ?? '', part })
    },
    close() {},
  })
  return { sheets: [...seen, ...hidden], since1904 }
}

/** Texts may come in pieces of different looks; readings above the characters (`rPh`) are not part of them. */
const readStrings = async (archive: ZipArchive, part: string): Promise<string[]> => {
  const strings: string[] = []
  let text = ''
  let inText = false
  const handler: XmlHandler = {
    skips: element => element === 'rPh',
    open(element) {
      if (element === 'si') text = ''
      inText = element === 't'
    },
    close(element) {
      inText = false
      if (element !== 'si') return
      strings.push(text)
      if (strings.length > maxStrings)
        throw new DocumentFailure('too_large', 'The workbook has more than 2,000,000 texts. Split it.')
    },
    text(piece) {
      if (inText) text += piece
    },
  }
  await parseXml(archive.chunks(part), handler)
  return strings
}

const readFormats = async (archive: ZipArchive, part: string): Promise<CellFormat[]> => {
  const own = new Map<string, CellFormat>()
  const formats: CellFormat[] = []
  let inCells = false
  await parseXml(archive.chunks(part), {
    open(element, attributes) {
      const id = attributes['numFmtId'] ?? '0'
      if (element === 'numFmt') own.set(id, formatOf(attributes['formatCode'] ?? ''))
      else if (element === 'cellXfs') inCells = true
      else if (element === 'xf' && inCells) formats.push(own.get(id) ?? builtInFormat(Number(id)))
    },
    close(element) {
      if (element === 'cellXfs') inCells = false
    },
  })
  return formats
}

export const readWorkbook = async (archive: ZipArchive, main: string): Promise<Workbook> => {
  const relationships = await readRelationships(archive, main)
  const strings = targetOf(relationships, 'sharedStrings')
  const styles = targetOf(relationships, 'styles')
  return {
    ...(await readSheets(archive, main, relationships)),
    strings: strings === undefined ? [] : await readStrings(archive, strings),
    formats: styles === undefined ? [] : await readFormats(archive, styles),
  }
}
