import type { XmlAttributes } from './xml-handler.ts'

/** Which lists count. Their styles stand before the text, so one pass is enough. */
export class OpenDocumentStyles {
  readonly #numbered = new Set<string>()
  #listStyle: string | undefined

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'list-style') this.#listStyle = attributes['name']
    else if (name === 'list-level-style-number' && this.#listStyle !== undefined)
      this.#numbered.add(`${this.#listStyle} ${attributes['level'] ?? 1}`)
  }

  isNumbered(style: string | undefined, level: number): boolean {
    return style !== undefined && this.#numbered.has(`${style} ${level}`)
  }
}
