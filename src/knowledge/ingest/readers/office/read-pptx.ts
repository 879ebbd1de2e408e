import type { Block, Place } from '../../block.ts'
import { type Script, scriptText } from '../text/raised-text.ts'
import { imageText } from './image-text.ts'
import { formatNumber } from './list-numbers.ts'
import { commentText, Margins } from './margins.ts'
import { OfficeMath } from './office-math.ts'
import { findMainPart, type Relationship, readRelationships, targetsById } from './office-package.ts'
import { readChart } from './read-chart.ts'
import { CellBudget, DocumentTable } from './tables.ts'
import { parseXml, type XmlAttributes, type XmlEnd } from './xml-parser.ts'
import { openZip, type ZipArchive } from './zip-archive.ts'

/** The blocks of a slide with its title first. */
export const slideBlocks = (page: number, title: string, blocks: Block[]): Block[] => {
  if (title === '' && blocks.length === 0) return []
  // Without a heading the text would appear to be part of the previous slide.
  return [{ kind: 'heading', level: 2, text: title || `Slide ${page}`, page }, ...blocks]
}

/** Placeholders that repeat on every slide. */
const furniture = new Map<string, 'header' | 'footer' | 'none'>([
  ['hdr', 'header'],
  ['ftr', 'footer'],
  ['dt', 'footer'],
  ['sldNum', 'footer'],
  ['sldImg', 'none'],
])
const titles = new Set(['title', 'ctrTitle'])

/** The label of automatic numbers, such as `alphaLcParenR` for "a)". */
const numberLabel = (number: number, type: string): string => {
  const format =
    (/^alpha|^roman/.test(type) &&
      `${type[5] === 'U' ? 'upper' : 'lower'}${type[0] === 'a' ? 'Letter' : 'Roman'}`) ||
    (type.startsWith('ea1') && 'chineseCounting') ||
    (type.startsWith('circle') && 'decimalEnclosedCircle') ||
    'decimal'
  const label = formatNumber(number, format)
  if (type.endsWith('ParenBoth')) return `(${label}) `
  return `${label}${type.endsWith('ParenR') ? ')' : type.endsWith('Plain') ? '' : '.'} `
}

/** By how much a run is raised, in thousandths of a percent. */
const scriptOf = (baseline = '0'): Script | undefined =>
  Number(baseline) > 0 ? 'super' : Number(baseline) < 0 ? 'sub' : undefined

const maxNumber = 32_767

/** The text of one slide, or of its notes: shapes in document order, the title separately. */
const readSlideText = async (
  chunks: AsyncIterable<Uint8Array>,
  place: Place,
  { budget, margins }: PresentationContext,
): Promise<{ title: string; blocks: Block[] }> => {
  const blocks: Block[] = []
  let title = ''
  let placeholder = ''
  let paragraph: string | undefined
  let mark = ''
  let script: Script | undefined
  let level = 0
  /** The item numbers of the open text, by level. */
  let numbers: number[] = []
  let table: DocumentTable | undefined
  let math: OfficeMath | undefined

  const add = (text: string): void => {
    if (paragraph !== undefined) paragraph += text
  }
  const addBlock = (text: string): void => void blocks.push({ kind: 'paragraph', text, ...place })
  const nextNumber = ({ type = '', startAt }: XmlAttributes): string => {
    const start = Math.min(maxNumber, Math.max(1, Math.trunc(Number(startAt)) || 1))
    const number = (numbers[level] ?? start - 1) + 1
    numbers[level] = number
    // Deeper levels restart under the next item.
    numbers.length = level + 1
    return numberLabel(number, type)
  }
  const openShape = (): XmlEnd => {
    numbers = []
    placeholder = ''
    return () => {
      placeholder = ''
    }
  }
  const openTable = (): XmlEnd => {
    const opened = new DocumentTable(place, budget)
    table = opened
    return () => {
      blocks.push(...opened.blocks())
      table = undefined
    }
  }
  const openCell = (merged = ''): XmlEnd => {
    const end = table?.openCell()
    if (/^(?:1|true)$/.test(merged)) table?.continueAbove()
    return end
  }
  const openParagraph = (): XmlEnd => {
    paragraph = ''
    mark = ''
    level = 0
    return () => {
      const text = (paragraph ?? '').trim()
      paragraph = undefined
      if (text === '') return
      const margin = furniture.get(placeholder)
      if (margin) return void (margin !== 'none' && margins.add(margin, text))
      if (table) table.add(`${mark}${text}`)
      else if (titles.has(placeholder)) title = `${title} ${text.replace(/\s+/g, ' ')}`.trim()
      else addBlock(`${mark}${text}`)
    }
  }
  const openMath = (): XmlEnd => {
    const opened = new OfficeMath()
    math = opened
    return () => {
      math = undefined
      add(opened.line)
    }
  }
  await parseXml(chunks, {
    open(name, attributes): XmlEnd {
      if (math) return math.open(name, attributes)
      const { type, descr } = attributes
      if (name === 'sp') return openShape()
      if (name === 'p') return openParagraph()
      if (name === 'tbl') return openTable()
      if (name === 'oMath') return openMath()
      // Covered cells are present and empty, so spans need no padding.
      if (name === 'tr') return table?.openRow()
      if (name === 'tc') return openCell(attributes['vMerge'])
      if (name === 'txBody') numbers = []
      else if (name === 'ph') placeholder = type ?? 'body'
      else if (name === 'r') script = undefined
      else if (name === 'rPr') script = scriptOf(attributes['baseline'])
      else if (name === 'cNvPr') {
        const text = imageText(attributes['title'], descr)
        if (text !== '') addBlock(text)
      } else if (name === 'br') add('\n')
      else if (name === 'buChar') mark = '- '
      else if (name === 'pPr') level = Math.min(8, Math.max(0, Number(attributes['lvl']) || 0))
      else if (name === 'buAutoNum') mark = nextNumber(attributes)
    },
    text(text, parent) {
      if (math) math.text(text, parent)
      else if (parent === 't') add(scriptText(text, script))
    },
  })
  return { title, blocks }
}

const tableText = ({ header = [], rows }: Extract<Block, { kind: 'table' }>): string =>
  [header, ...rows].map(row => row.filter(cell => cell !== '').join(' ')).join('\n')

/** The slides in presentation order, which differs from the order of their names. */
const slideParts = async (archive: ZipArchive, main: string): Promise<string[]> => {
  const targetOf = targetsById(await readRelationships(archive, main))
  const found: string[] = []
  await parseXml(archive.chunks(main), {
    open(element, attributes) {
      const part = element === 'sldId' ? targetOf(attributes) : undefined
      if (part !== undefined) found.push(part)
    },
  })
  return found
}

interface PresentationContext {
  archive: ZipArchive
  budget: CellBudget
  margins: Margins
  /** Names of the authors of comments, by their ids. */
  authors: Map<string, string>
}

const readAuthors = async (archive: ZipArchive, relationships: Relationship[]) => {
  const authors = new Map<string, string>()
  for (const { type, target } of relationships)
    if (type === 'commentAuthors' || type === 'authors')
      await parseXml(archive.chunks(target), {
        open(element, { id, name }) {
          if (/^(?:cmAuthor|author)$/.test(element) && id !== undefined) authors.set(id, name?.trim() ?? '')
        },
      })
  return authors
}

/** Comments of a slide: a plain text, or paragraphs since 2021. */
const readComments = async ({ archive, authors }: PresentationContext, part: string, place: Place) => {
  const comments: { author: string; text: string }[] = []
  await parseXml(archive.chunks(part), {
    open(element, { authorId = '' }) {
      if (element === 'cm' || element === 'reply')
        comments.push({ author: authors.get(authorId) ?? '', text: '' })
    },
    text(text, parent) {
      const comment = comments.at(-1)
      if (comment && (parent === 't' || parent === 'text')) comment.text += text
    },
  })
  return comments
    .filter(({ text }) => text.trim() !== '')
    .map(
      ({ author, text }): Block => ({ kind: 'paragraph', text: commentText(author, text.trim()), ...place }),
    )
}

const readSlide = async (context: PresentationContext, part: string, page: number): Promise<Block[]> => {
  const { archive, budget } = context
  const readPart = (name: string) => readSlideText(archive.chunks(name), { page }, context)
  const { title, blocks } = await readPart(part)
  const related = Object.groupBy(await readRelationships(archive, part), ({ type }) => type)
  for (const { target } of related['diagramData'] ?? []) blocks.push(...(await readPart(target)).blocks)
  for (const { target } of related['chart'] ?? [])
    blocks.push(...(await readChart(archive.chunks(target), { page }, budget)))
  for (const { target } of related['notesSlide'] ?? []) {
    const notes = (await readPart(target)).blocks
    const text = notes.map(block => (block.kind === 'table' ? tableText(block) : block.text)).join('\n')
    if (text !== '') blocks.push({ kind: 'paragraph', text: `Notes: ${text}`, page })
  }
  for (const { target } of related['comments'] ?? [])
    blocks.push(...(await readComments(context, target, { page })))
  return slideBlocks(page, title, blocks)
}

export async function* readPptx(bytes: Uint8Array): AsyncGenerator<Block> {
  const archive = await openZip(bytes)
  const main = await findMainPart(archive, 'ppt/presentation.xml', 'a PowerPoint presentation')
  const authors = await readAuthors(archive, await readRelationships(archive, main))
  const context: PresentationContext = { archive, budget: new CellBudget(), margins: new Margins(), authors }
  for (const [index, part] of (await slideParts(archive, main)).entries())
    yield* await readSlide(context, part, index + 1)
  yield* context.margins.blocks()
}
