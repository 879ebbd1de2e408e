import type { XmlAttributes } from './xml-handler.ts'

/**
 * Keeps count of what is skipped: elements a reader does not want, with all they contain. Of the alternatives of one
 * content (`AlternateContent`), which say the same for newer and for older programs, only the first is let through.
 */
export class SkippedElements {
  readonly #isSkipped: (name: string, attributes: XmlAttributes) => boolean
  readonly #alternatives: { taken: boolean }[] = []
  #depth = 0

  constructor(isSkipped: (name: string, attributes: XmlAttributes) => boolean) {
    this.#isSkipped = isSkipped
  }

  get active(): boolean {
    return this.#depth > 0
  }

  /** Tells whether the element is skipped. */
  open(name: string, attributes: XmlAttributes): boolean {
    if (this.#depth > 0 || this.#starts(name, attributes)) this.#depth += 1
    return this.#depth > 0
  }

  close(name: string): boolean {
    if (this.#depth > 0) {
      this.#depth -= 1
      return true
    }
    if (name === 'AlternateContent') this.#alternatives.pop()
    return false
  }

  #starts(name: string, attributes: XmlAttributes): boolean {
    if (name === 'AlternateContent') this.#alternatives.push({ taken: false })
    const alternative = name === 'Choice' || name === 'Fallback' ? this.#alternatives.at(-1) : undefined
    if (!alternative) return this.#isSkipped(name, attributes)
    const { taken } = alternative
    alternative.taken = true
    return taken
  }
}
