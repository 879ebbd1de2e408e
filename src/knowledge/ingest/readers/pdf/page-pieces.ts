import { withoutRadicals } from '../../../text/radicals.ts'
import { DocumentFailure } from '../../document-failure.ts'
import type { PdfPage } from './open-pdf.ts'

/** Text as the page draws it. Coordinates are in points, turned so that it runs from left to right. */
export interface Piece {
  text: string
  left: number
  right: number
  /** Position of the baseline. */
  y: number
  size: number
  font: string
  /** The next piece in the file follows after a space. */
  spaceAfter: boolean
  /** Position in the file. */
  order: number
  rightToLeft: boolean
}

/** The direction in which text runs; pieces of each direction are laid out separately. */
export type Direction = 'right' | 'down' | 'left' | 'up'

type PiecesOfPage = Map<Direction, Piece[]>

const ligatures = /[\ufb00-\ufb06]/g
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f\u200b\ufeff]/g

/** TeX's fonts without a character map have these ligatures at control characters. Alone they are other symbols. */
const texLigatures = ['ff', 'fi', 'fl', 'ffi', 'ffl']
const texLigature = /[\u000e\u001b-\u001f](?:(?<=\p{Ll}{2}.)|(?=\p{Ll}{2}))/gsu

const cleanText = (text: string): string =>
  withoutRadicals(
    text
      .replace(ligatures, form => form.normalize('NFKC'))
      .replace(texLigature, code => (code === '\u000e' ? 'ffi' : texLigatures[code.charCodeAt(0) - 0x1b]!))
      .replace(invisible, ''),
  )

const cjk = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]/u
const endsInCjk = (text: string): boolean => cjk.test([...text.slice(-2)].at(-1) ?? '')
const startsInCjk = (text: string): boolean => cjk.test(String.fromCodePoint(text.codePointAt(0) ?? 32))

/** Chinese is written without spaces, so a small gap between its characters is not a space. */
export const joinsWithoutSpace = (before: string, after: string): boolean =>
  endsInCjk(before) && startsInCjk(after)

const cjkLetter = '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー]'
const spacedLetters = new RegExp(`${cjkLetter} ${cjkLetter} ${cjkLetter}`, 'u')
const neighbours = new RegExp(`${cjkLetter}(?=( ?)${cjkLetter})`, 'gu')

/** The library reads the gaps of letter-spaced Chinese as spaces. Between words, not all characters have one. */
const withoutLetterSpacing = (text: string): string => {
  if (!spacedLetters.test(text)) return text
  let spaced = 0
  let joined = 0
  for (const [, space] of text.matchAll(neighbours))
    if (space === '') joined++
    else spaced++
  if (joined * 10 > spaced) return text
  return text.replace(/(\S) (?=(\S))/gu, (both, one: string, other: string) =>
    joinsWithoutSpace(one, other) ? one : both,
  )
}

type Matrix = [number, number, number, number, number, number]

const multiply = (one: number[], other: number[]): Matrix => {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = one
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = other
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}

const directionOf = (a: number, b: number): Direction => {
  if (Math.abs(b) > Math.abs(a)) return b > 0 ? 'down' : 'up'
  return a < 0 ? 'left' : 'right'
}

/** A point in the coordinates in which text of that direction runs from left to right. */
const turned = (direction: Direction, x: number, y: number): [x: number, y: number] => {
  if (direction === 'right') return [x, y]
  if (direction === 'down') return [y, -x]
  return direction === 'up' ? [-y, x] : [-x, -y]
}

const add = (pieces: PiecesOfPage, direction: Direction, piece: Piece): void => {
  const known = pieces.get(direction)
  if (known) known.push(piece)
  else pieces.set(direction, [piece])
}

const accents = '`´ˆ˜¯˘˙¨˚˝ˇ¸˛'
const marks = '\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327\u0328'

const accented = (letter: string, accent: string): string | undefined => {
  const mark = marks[accents.indexOf(accent)]
  const character = mark && ((letter === 'ı' ? 'i' : letter) + mark).normalize('NFC')
  return character?.length === 1 ? character : undefined
}

/** TeX and others draw an accent and its letter, in either order, over each other. */
const joinAccent = (before: Piece, { text, left, right, y, size }: Piece): boolean => {
  if (before.right - left < size * 0.2 || right < before.left || Math.abs(before.y - y) > size / 2)
    return false
  const last = before.text.at(-1)!
  const character = accented(text[0]!, last) ?? accented(last, text[0]!)
  if (character === undefined) return false
  // An accent alone is higher than the line.
  if (before.text.length === 1) before.y = y
  before.text = before.text.slice(0, -1) + character + text.slice(1)
  before.left = Math.min(before.left, left)
  before.right = Math.max(before.right, right)
  return true
}

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
async function addAnnotations(page: PdfPage, pieces: PiecesOfPage, transform: number[]): Promise<void> {
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
      add(pieces, 'right', { text, ...place, font: '', spaceAfter: true, order, rightToLeft: false })
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
class UnscaledFonts {
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

/** A few bytes can draw the same text millions of times. */
const maxPieces = 500_000

type TextContent = Awaited<ReturnType<PdfPage['getTextContent']>>

/** The text of a page, in the order of the file. `onText` is called while it is being read. */
export const readPieces = async (
  page: PdfPage,
  hasAnnotations: boolean,
  onText: () => void,
): Promise<PiecesOfPage> => {
  const { transform } = page.getViewport({ scale: 1 })
  const pieces: PiecesOfPage = new Map()
  let last: Piece | undefined
  let lastDirection: Direction | undefined
  let count = 0
  const styles: TextContent['styles'] = {}
  const unscaled = new UnscaledFonts()
  const addItem = (item: TextContent['items'][number]): void => {
    if (!('str' in item)) return
    const text = withoutLetterSpacing(cleanText(item.str))
    if (text.trim() === '') {
      if (last && text !== '' && !unscaled.has(item.fontName)) last.spaceAfter = true
      return
    }
    const [a, b, c, d, x, y] = multiply(transform, item.transform)
    const isVertical = styles[item.fontName]?.vertical === true
    const length = Math.abs(isVertical ? item.height : item.width)
    const height = Math.hypot(c, d)
    const unit = Math.min(height, Math.max(Math.abs(a), Math.abs(b)))
    const size = unscaled.sizeOf(text, length, item.fontName, unit) ?? (height || Math.hypot(a, b))
    if (!(Number.isFinite(x) && Number.isFinite(y) && Number.isFinite(size) && Number.isFinite(length)))
      return
    const direction = isVertical ? 'down' : directionOf(a, b)
    const [left, baseline] = turned(direction, x, y)
    const piece: Piece = {
      text,
      left,
      right: left + length,
      y: baseline,
      size,
      font: item.fontName,
      spaceAfter: false,
      order: count,
      rightToLeft: item.dir === 'rtl',
    }
    if (last && direction === lastDirection && joinAccent(last, piece)) return
    count++
    last = piece
    lastDirection = direction
    add(pieces, direction, piece)
  }
  const parts = (page.streamTextContent() as ReadableStream<TextContent>).getReader()
  try {
    for (let part = await parts.read(); !part.done; part = await parts.read()) {
      Object.assign(styles, part.value.styles)
      for (const item of part.value.items) addItem(item)
      if (count > maxPieces)
        throw new DocumentFailure(
          'too_large',
          `Page ${page.pageNumber} of the PDF has more than 500,000 pieces of text. Remove the page.`,
        )
      onText()
    }
  } catch (error) {
    // `for await` cancels without a reason. The library ignores that, and the document could never be closed.
    await parts.cancel(error)
    throw error
  }
  unscaled.settle(pieces)
  if (hasAnnotations) await addAnnotations(page, pieces, transform)
  return pieces
}
