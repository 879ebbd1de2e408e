import type { Block } from '../block.ts'
import { CellBudget } from './cell-budget.ts'
import { containsText } from './contains-text.ts'
import { DocxBody, type DocxContext } from './docx-body.ts'
import { DocxLists } from './docx-lists.ts'
import { DocxNotes, readDocxNotes } from './docx-notes.ts'
import { DocxStyles } from './docx-styles.ts'
import { findMainPart, readRelationships, targetOf } from './office-package.ts'
import { blocksOfXml } from './xml-events.ts'
import { openZip } from './zip-archive.ts'

const pageMarks = ['lastRenderedPageBreak', 'w:type="page"']

export async function* readDocx(bytes: Uint8Array): AsyncGenerator<Block> {
  const archive = openZip(bytes)
  const main = await findMainPart(archive, 'word/document.xml', 'a Word document')
  const relationships = await readRelationships(archive, main)
  const notes = new DocxNotes()
  const context: DocxContext = {
    budget: new CellBudget(),
    styles: new DocxStyles(),
    lists: new DocxLists(),
    paged: await containsText(archive.chunks(main), pageMarks),
    noteNumber: (kind, id) => notes.number(kind, id),
  }
  const styles = targetOf(relationships, 'styles')
  if (styles !== undefined) await context.styles.read(archive, styles)
  const lists = targetOf(relationships, 'numbering')
  if (lists !== undefined) await context.lists.read(archive, lists)
  yield* blocksOfXml(archive.chunks(main), new DocxBody(context))
  yield* readDocxNotes(archive, relationships, notes, context)
}
