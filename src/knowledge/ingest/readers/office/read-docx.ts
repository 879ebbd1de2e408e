import type { Block } from '../../block.ts'
import { DocxBody, type DocxContext } from './docx-body.ts'
import { DocxLists, DocxStyles } from './docx-styles.ts'
import { containsText, findMainPart, readRelationships, targetOf } from './office-package.ts'
import { CellBudget } from './tables.ts'
import { blocksOfXml, parseXml } from './xml-parser.ts'
import { openZip } from './zip-archive.ts'

/** The referenced notes by their numbers, each as one text. */
const readNotes = async (
  chunks: AsyncIterable<Uint8Array>,
  kind: string,
  context: DocxContext,
): Promise<Map<number, string>> => {
  const body = new DocxBody({ ...context, paged: false })
  const found = new Map<number, string>()
  await parseXml(chunks, {
    open: (name, attributes) => {
      if (name !== kind) return body.open(name, attributes)
      const number = context.notes.get(`${kind}Reference ${attributes['id'] ?? ''}`)
      if (number === undefined) return false
      return () => {
        const blocks = body.ready.splice(0)
        const lines = blocks.flatMap(block => (block.kind === 'table' ? block.rows.flat() : block.text))
        if (lines.length > 0) found.set(number, lines.join('\n'))
      }
    },
    text: (text, parent) => body.text(text, parent),
  })
  return found
}

const pageMarks = ['lastRenderedPageBreak', 'w:type="page"']

export async function* readDocx(bytes: Uint8Array): AsyncGenerator<Block> {
  const archive = await openZip(bytes)
  const main = await findMainPart(archive, 'word/document.xml', 'a Word document')
  const relationships = await readRelationships(archive, main)
  const context: DocxContext = {
    budget: new CellBudget(),
    styles: new DocxStyles(),
    lists: new DocxLists(),
    paged: await containsText(archive.chunks(main), pageMarks),
    notes: new Map(),
  }
  const styles = targetOf(relationships, 'styles')
  if (styles !== undefined) await context.styles.read(archive, styles)
  const lists = targetOf(relationships, 'numbering')
  if (lists !== undefined) await context.lists.read(archive, lists)
  yield* blocksOfXml(archive.chunks(main), new DocxBody(context))
  const notes: [number: number, text: string][] = []
  for (const kind of ['footnote', 'endnote']) {
    const part = targetOf(relationships, `${kind}s`)
    if (part !== undefined) notes.push(...(await readNotes(archive.chunks(part), kind, context)))
  }
  for (const [number, text] of notes.sort(([one], [other]) => one - other))
    yield { kind: 'paragraph', text: `[${number}] ${text}` }
}
