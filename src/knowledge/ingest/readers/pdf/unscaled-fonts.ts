import type { PiecesOfPage } from './piece.ts'

/** About the width of a text in a common font of size 1. */
const usualWidth = (text: string): number => {
  let width = 0
  for (const character of text)
    if (/[fijlrt\p{P}]/u.test(character)) width += 0.33
    else if (/[A-Zmw]/.test(character)) width += 0.75
    else width += /\p{Lo}/u.test(character) ? 1 : 0.5
  return width
}

/**
 * Type 3 fonts, which old TeX documents have, may come in units of their own: their sizes, and with them the spaces that
 * the library finds, are wrong. The widths of their characters show the sizes.
 */
export class UnscaledFonts {
  readonly #widths = new Map<string, { actual: number; usual: number }>()

  has(font: string): boolean {
    return this.#widths.has(font)
  }

  /** A first estimate of the size of a piece; `undefined` if the size that it comes with can be right. */
  sizeOf(text: string, width: number, font: string, size: number): number | undefined {
    if (width < text.length * size * 4) return undefined
    const usual = usualWidth(text)
    const widths = this.#widths.get(font) ?? { actual: 0, usual: 0 }
    this.#widths.set(font, widths)
    // Symbols are of any width, and stand alone.
    if (text.length > 1) {
      widths.actual += width
      widths.usual += usual
    }
    return width / usual
  }

  /** Gives each font one size. A font only a little wider than the text of the page is bold, not larger. */
  settle(pieces: PiecesOfPage): void {
    if (this.#widths.size === 0) return
    const body = [...this.#widths.values()].reduce((one, other) => (other.usual > one.usual ? other : one))
    if (body.usual === 0) return
    const bodySize = Math.max(0.5, Math.round((body.actual / body.usual) * 2) / 2)
    for (const piece of [...pieces.values()].flat()) {
      const widths = this.#widths.get(piece.font)
      if (!widths) continue
      const ratio = widths.actual / widths.usual / bodySize || 1
      piece.size = bodySize * (ratio < 1.3 ? Math.min(1, ratio) : Math.round(ratio * 4) / 4)
    }
  }
}
