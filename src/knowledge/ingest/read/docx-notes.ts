import type { Block } from '../block.ts'
import { DocxBody, type DocxContext } from './docx-body.ts'
import { type Relationship, targetOf } from './office-package.ts'
import { parseXml } from './xml-events.ts'
import type { XmlAttributes, XmlHandler } from './xml-handler.ts'
import type { ZipArchive } from './zip-archive.ts'

/** The notes that are referred to, by kind and id, with their numbers. */
export class DocxNotes {
  readonly #numbers = new Map<string, number>()

  number(kind: string, id: string): number {
    const key = `${kind} ${id}`
    const number = this.#numbers.get(key) ?? this.#numbers.size + 1
    this.#numbers.set(key, number)
    return number
  }

  find(kind: string, id: string): number | undefined {
    return this.#numbers.get(`${kind} ${id}`)
  }
}

/** Reads a part with notes: each becomes one paragraph that begins with its number. */
class NotesPart implements XmlHandler {
  readonly found: { number: number; text: string }[] = []
  readonly #notes: DocxNotes
  readonly #kind: string
  readonly #context: DocxContext
  #body: DocxBody | undefined
  #number: number | undefined

  constructor(notes: DocxNotes, kind: string, context: DocxContext) {
    this.#notes = notes
    this.#kind = kind
    this.#context = context
  }

  skips(name: string): boolean {
    return this.#body?.skips(name) ?? false
  }

  open(name: string, attributes: XmlAttributes): void {
    this.#body?.open(name, attributes)
    if (name !== this.#kind) return
    this.#number = this.#notes.find(`${this.#kind}Reference`, attributes['id'] ?? '')
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

export async function* readDocxNotes(
  archive: ZipArchive,
  relationships: Relationship[],
  notes: DocxNotes,
  context: DocxContext,
): AsyncGenerator<Block> {
  const found: { number: number; text: string }[] = []
  for (const kind of ['footnote', 'endnote']) {
    const part = targetOf(relationships, `${kind}s`)
    if (part === undefined) continue
    const reader = new NotesPart(notes, kind, context)
    await parseXml(archive.chunks(part), reader)
    found.push(...reader.found)
  }
  found.sort((one, other) => one.number - other.number)
  for (const { number, text } of found) yield { kind: 'paragraph', text: `[${number}] ${text}` }
}
