import { MathText } from '../office/math-text.ts'

/** Deeper elements are ignored; their text is kept. */
const maxDepth = 64

/** A formula in a page, whose tags need not match. */
export class PageMath {
  readonly #math = new MathText()
  readonly #open: { name: string; end: (() => void) | undefined }[] = []
  /** The number of elements around the outermost skipped one. */
  #skippedFrom = Infinity

  get isSkipping(): boolean {
    return this.#open.length > this.#skippedFrom
  }

  open(prefixed: string, selfClosing: boolean): void {
    if (this.#open.length >= maxDepth) return
    const name = localName(prefixed)
    const end = this.isSkipping ? undefined : this.#math.open(name)
    if (end === false) this.#skippedFrom = this.#open.length
    this.#open.push({ name, end: end || undefined })
    if (selfClosing) this.close(name)
  }

  /** Returns whether the element is one of the formula. */
  close(prefixed: string): boolean {
    const name = localName(prefixed)
    const at = this.#open.findLastIndex(each => each.name === name)
    if (at >= 0) this.#closeTo(at)
    return at >= 0
  }

  text(data: string): void {
    if (!this.isSkipping) this.#math.text(data)
  }

  finish(): string {
    this.#closeTo(0)
    return this.#math.line
  }

  #closeTo(depth: number): void {
    while (this.#open.length > depth) this.#open.pop()!.end?.()
    if (!this.isSkipping) this.#skippedFrom = Infinity
  }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)
