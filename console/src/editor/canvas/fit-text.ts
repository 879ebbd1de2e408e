let pen: CanvasRenderingContext2D | null | undefined
const widths = new Map<string, number>()
// Texts that were measured before their font was loaded have the width of another font.
document.fonts?.addEventListener('loadingdone', () => widths.clear())

/** Text width without forcing a page layout. */
export function textWidth(text: string, font: string): number {
  pen ??= document.createElement('canvas').getContext('2d')
  if (!pen) return text.length * 7
  const key = `${font}\n${text}`
  const known = widths.get(key)
  if (known !== undefined) return known
  pen.font = font
  const { width } = pen.measureText(text)
  if (widths.size > 20_000) widths.clear()
  widths.set(key, width)
  return width
}

/** The part of a text that fits; SVG cannot truncate text itself. */
export function fitText(text: string, width: number, font: string): string {
  if (textWidth(text, font) <= width) return text
  const letters = [...text]
  let [fits, tooMany] = [0, letters.length]
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1
    if (textWidth(`${letters.slice(0, middle).join('')}…`, font) <= width) fits = middle
    else tooMany = middle
  }
  return `${letters.slice(0, fits).join('').trimEnd()}…`
}
