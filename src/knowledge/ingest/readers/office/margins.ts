import type { Block } from '../../block.ts'

const names = { header: 'Header', footer: 'Footer' }

/** Headers and footers, which repeat on every page or slide: each different one follows the document once. */
export class Margins {
  readonly #texts = new Map<string, keyof typeof names>()

  add(kind: keyof typeof names, text: string): void {
    // Fields that were never filled in, such as "<number>" and "‹#›".
    const line = text
      .replace(/<[\w/ -]{1,20}>|‹#›/g, '')
      .replace(/\s+/g, ' ')
      .trim()
    // Page numbers and lines of dashes say nothing.
    if (/\p{L}|\p{N}\D+\p{N}/u.test(line) && this.#texts.size < maxMargins && !this.#texts.has(line))
      this.#texts.set(line, kind)
  }

  *blocks(): Generator<Block> {
    for (const [text, kind] of this.#texts) yield { kind: 'paragraph', text: `${names[kind]}: ${text}` }
  }
}

/** Enough even for a presentation with a different footer on every slide. */
const maxMargins = 1000

/** A comment as it is shown below its paragraph. */
export const commentText = (author: string | undefined, text: string): string =>
  author ? `Comment by ${author}: ${text}` : `Comment: ${text}`
