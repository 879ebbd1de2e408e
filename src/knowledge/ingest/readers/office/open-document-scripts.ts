import type { Script } from '../text/raised-text.ts'
import type { XmlAttributes } from './xml-parser.ts'

/** The styles of text that put it above or below the line. */
export class OpenDocumentScripts {
  readonly #styles = new Map<string, Script | undefined>()
  #style: string | undefined

  /** Takes a definition from the styles; they precede the text. */
  define(name: string, attributes: XmlAttributes): void {
    if (name === 'style') {
      this.#style = attributes['family'] === 'text' ? attributes['name'] : undefined
      const base = this.of(attributes['parent-style-name'])
      if (this.#style !== undefined) this.#styles.set(this.#style, base)
    } else if (name === 'text-properties' && this.#style !== undefined) {
      // "super 58%", or how far in percent of the font size.
      const position = /^(?:(super)|(sub)|(-?)[1-9][\d.]*%)/.exec(attributes['text-position'] ?? '')
      if (position) this.#styles.set(this.#style, position[2] || position[3] ? 'sub' : 'super')
    }
  }

  of(style: string | undefined): Script | undefined {
    return this.#styles.get(style ?? '')
  }
}
