import type { Block } from '../../block.ts'
import { DocxBody, type DocxContext } from './docx-body.ts'
import { DocxLists, DocxStyles } from './docx-styles.ts'
import {
  containsText,
  findMainPart,
  type Relationship,
  readRelationships,
  targetOf,
} from './office-package.ts'
import { CellBudget } from './tables.ts'
import { blocksOfXml, parseXml, type XmlAttributes, type XmlHandler } from './xml-parser.ts'
import { openZip, type ZipArchive } from './zip-archive.ts'

/** Reads a notes part: each note becomes one paragraph that begins with its number. */
class NotesPart implements XmlHandler {
  readonly found: { number: number; text: string }[] = []
  readonly #kind: string
  readonly #context: DocxContext
  #body: DocxBody | undefined
  #number: number | undefined

  constructor(kind: string, context: DocxContext) {
    this.#kind = kind
    this.#context = context
  }

  skips(name: string): boolean {
    return this.#body?.skips(name) ?? false
  }

  open(name: string, attributes: XmlAttributes): void {
    this.#body?.open(name, attributes)
    if (name !== this.#kind) return
    this.#number = this.#context.notes.get(`${this.#kind}Reference ${attributes['id'] ?? ''}`)
    this.#body = this.#number === undefined ? undefined : new DocxBody({ ...this.#context, paged: false })
  }

  close(name: string): void {
    if (name !== this.#kind) {
      this.#body?.close(name)
      return
    }
    const lines = this.#body?.ready.map(block => (block.kind === 'table' ? block.rows.flat() : block.text))
    const text = lines?.flat().join('\n')
    if (text && this.#number !== undefined) this.found.push({ number: this.#number, text })
    this.#body = undefined
  }

  text(text: string): void {
    this.#body?.text(text)
  }
}

async function* readDocxNotes(
  archive: ZipArchive,
  relationships: Relationship[],
  context: DocxContext,
): AsyncGenerator<Block> {
  const found: { number: number; text: string }[] = []
  for (const kind of ['footnote', 'endnote']) {
    const part = targetOf(relationships, `${kind}s`)
    if (part === undefined) continue
    const reader = new NotesPart(kind, context)
    await parseXml(archive.chunks(part), reader)
    found.push(...reader.found)
  }
  found.sort((one, other) => one.number - other.number)
  for (const { number, text } of found) yield { kind: 'paragraph', text: `[${number}] ${text}` }
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
  yield* readDocxNotes(archive, relationships, context)
}
