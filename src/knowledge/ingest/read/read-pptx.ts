import type { Block } from '../block.ts'
import { CellBudget } from './cell-budget.ts'
import { findMainPart, readRelationships } from './office-package.ts'
import { SlideReader } from './pptx-slide.ts'
import { slideBlocks } from './slide-blocks.ts'
import { parseXml } from './xml-events.ts'
import { openZip, type ZipArchive } from './zip-archive.ts'

/** The slides in the order in which they are shown, which is not the order of their names. */
const slideParts = async (archive: ZipArchive, main: string): Promise<string[]> => {
  const relationships = await readRelationships(archive, main)
  const parts = new Map(relationships.map(({ id, target }) => [id, target]))
  const found: string[] = []
  await parseXml(archive.chunks(main), {
    open(element, attributes) {
      if (element !== 'sldId') return
      const id = Object.keys(attributes).find(name => name.endsWith(':id'))
      const part = id === undefined ? undefined : parts.get(attributes[id] ?? '')
      if (part !== undefined) found.push(part)
    },
    close() {},
  })
  return found
}

const readPart = async (
  archive: ZipArchive,
  part: string,
  page: number,
  budget: CellBudget,
): Promise<SlideReader> => {
  const reader = new SlideReader({ page }, budget)
  await parseXml(archive.chunks(part), reader)
  return reader
}

const notesText = ({ blocks }: SlideReader): string =>
  blocks.flatMap(block => (block.kind === 'paragraph' ? [block.text] : [])).join('\n')

async function* readSlide(
  archive: ZipArchive,
  part: string,
  page: number,
  budget: CellBudget,
): AsyncGenerator<Block> {
  const slide = await readPart(archive, part, page, budget)
  const relationships = await readRelationships(archive, part)
  const blocks = slide.blocks
  for (const { type, target } of relationships)
    if (type === 'diagramData') blocks.push(...(await readPart(archive, target, page, budget)).blocks)
  for (const { type, target } of relationships) {
    if (type !== 'notesSlide') continue
    const text = notesText(await readPart(archive, target, page, budget))
    if (text !== '') blocks.push({ kind: 'paragraph', text: `Notes: ${text}`, page })
  }
  yield* slideBlocks(page, slide.title, blocks)
}

export async function* readPptx(bytes: Uint8Array): AsyncGenerator<Block> {
  const archive = openZip(bytes)
  const main = await findMainPart(archive, 'ppt/presentation.xml', 'a PowerPoint presentation')
  const budget = new CellBudget()
  let page = 0
  for (const part of await slideParts(archive, main)) {
    page += 1
    yield* readSlide(archive, part, page, budget)
  }
}
