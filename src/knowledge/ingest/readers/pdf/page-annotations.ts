import type { PdfPage } from './open-pdf.ts'
import { addPiece, type Matrix, multiply, type PiecesOfPage } from './piece.ts'
import { cleanText } from './piece-text.ts'

/** The library has no text of signatures, stamps and labels of buttons, but draws them. */
const isDrawing = ({ subtype, fieldType, pushButton }: Annotation): boolean =>
  subtype === 'Stamp' || fieldType === 'Sig' || pushButton === true

type Glyph = { unicode?: string; width?: number } | number | null

/** Puts text that is drawn together into lines: programs draw words, or each letter, at a position of their own. */
class DrawnLines {
  readonly lines: string[] = []
  #matrix: Matrix = [1, 0, 0, 1, 0, 0]
  #size = 1
  /** The width of what was shown since. */
  #shown = 0
  /** Where the last text ended, along the line and across. */
  #end = Number.NaN
  #height = Number.NaN

  font(size: number): void {
    this.#size = Math.abs(size)
  }

  place(matrix: number[]): void {
    this.#matrix = multiply(matrix, [])
    this.#shown = 0
  }

  move(x: number, y: number): void {
    this.#matrix = multiply(this.#matrix, [1, 0, 0, 1, x, y])
    this.#shown = 0
  }

  break(): void {
    this.#end = Number.NaN
  }

  show(glyphs: Glyph[]): void {
    const [a, b, , , x, y] = this.#matrix
    const scale = Math.hypot(a, b) || 1
    const start = (x * a + y * b) / scale + this.#shown
    const height = (y * a - x * b) / scale
    const size = this.#size * scale
    let width = 0
    let text = ''
    for (const glyph of glyphs) {
      const isGap = typeof glyph === 'number'
      if (isGap && glyph < -200) text += ' '
      else if (!isGap) text += glyph?.unicode ?? ''
      width += isGap ? -glyph : (glyph?.width ?? 0)
    }
    const gap = start - this.#end
    if (Math.abs(height - this.#height) < size * 0.3 && gap > -size)
      this.lines.push(`${this.lines.pop()}${gap > size * 0.15 ? ' ' : ''}${text}`)
    else this.lines.push(text)
    this.#shown += (width / 1000) * size
    this.#end = start + (width / 1000) * size
    this.#height = height
  }
}

/** The lines of each annotation, as they are drawn. */
async function drawnTexts(page: PdfPage): Promise<Map<string, string[]>> {
  const { OPS, AnnotationMode } = await (await import('unpdf')).getResolvedPDFJS()
  const { fnArray, argsArray } = await page.getOperatorList({ annotationMode: AnnotationMode.ENABLE })
  const texts = new Map<string, string[]>()
  let drawn: DrawnLines | undefined
  for (const [index, operator] of fnArray.entries()) {
    const values = argsArray[index] as unknown[]
    if (operator === OPS.beginAnnotation) {
      drawn = new DrawnLines()
      texts.set(String(values[0]), drawn.lines)
    } else if (operator === OPS.endAnnotation) drawn = undefined
    else if (operator === OPS.beginText) drawn?.place([])
    else if (operator === OPS.setFont) drawn?.font(Number(values[1]))
    else if (operator === OPS.setTextMatrix) drawn?.place(Object.values(values[0] as number[]))
    else if (operator === OPS.moveText) drawn?.move(Number(values[0]), Number(values[1]))
    else if (operator === OPS.nextLine || operator === OPS.transform) drawn?.break()
    else if (operator === OPS.showText) drawn?.show(values[0] as Glyph[])
  }
  return texts
}

/** Values of forms, notes, stamps and signatures that are drawn on the page, line by line. */
export async function addAnnotations(
  page: PdfPage,
  pieces: PiecesOfPage,
  transform: number[],
): Promise<void> {
  const annotations = (await page.getAnnotations()) as Annotation[]
  const drawings = annotations.some(isDrawing) ? await drawnTexts(page) : undefined
  for (const annotation of annotations) {
    const { id, subtype, fieldType, hidden, rect, fieldValue, options } = annotation
    const hasText = subtype === 'FreeText' || fieldType === 'Tx' || fieldType === 'Ch'
    if (hidden || !rect || !(hasText || isDrawing(annotation))) continue
    const textContent = isDrawing(annotation) ? drawings?.get(id ?? '') : annotation.textContent
    const drawn = textContent?.some(line => line.trim() !== '') ? textContent : []
    const value = [fieldValue].flat().filter(each => typeof each === 'string')
    const shown = value.map(each => options?.find(one => one.exportValue === each)?.displayValue ?? each)
    const lines = (drawn.length > 0 ? drawn : shown)
      .flatMap(each => each.split(/\r\n?|\n/))
      .map(line => cleanText(line).trim())
    const [, , , , x1, y1] = multiply(transform, [1, 0, 0, 1, rect[0]!, rect[1]!])
    const [, , , , x2, y2] = multiply(transform, [1, 0, 0, 1, rect[2]!, rect[3]!])
    const [left, right, top, bottom] = [
      Math.min(x1, x2),
      Math.max(x1, x2),
      Math.min(y1, y2),
      Math.max(y1, y2),
    ]
    if (![left, right, top, bottom].every(Number.isFinite)) continue
    const step = (bottom - top) / Math.max(1, lines.length)
    const size = Math.min(12, Math.max(4, step * 0.7))
    for (const [index, text] of lines.entries()) {
      if (text === '') continue
      const width = Math.min(right - left, text.length * size * 0.5)
      const y = top + step * index + (step + size * 0.7) / 2
      const place = { left: left + 1, right: left + 1 + width, y, size }
      const order = Number.MAX_SAFE_INTEGER
      addPiece(pieces, 'right', { text, ...place, font: '', spaceAfter: true, order, rightToLeft: false })
    }
  }
}

interface Annotation {
  id?: string
  subtype?: string
  fieldType?: string | null
  pushButton?: boolean
  hidden?: boolean
  rect?: number[]
  textContent?: string[]
  fieldValue?: unknown
  /** The options of a choice field: the stored value, and the displayed one. */
  options?: { exportValue?: string; displayValue?: string }[]
}
