import { DocumentFailure } from '../../document-failure.ts'
import type { PdfPage } from './open-pdf.ts'
import { addAnnotations } from './page-annotations.ts'
import { addPiece, type Direction, multiply, type Piece, type PiecesOfPage } from './piece.ts'
import { cleanText, withoutLetterSpacing } from './piece-text.ts'
import { UnscaledFonts } from './unscaled-fonts.ts'

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

/** A few bytes can draw the same text millions of times. */
const maxPieces = 500_000

type TextContent = Awaited<ReturnType<PdfPage['getTextContent']>>
type TextItem = Extract<TextContent['items'][number], { str: string }>

/** Collects the pieces of a page in the order of the file. */
class PieceCollector {
  readonly pieces: PiecesOfPage = new Map()
  count = 0
  readonly #transform: number[]
  readonly #styles: TextContent['styles'] = {}
  readonly #unscaled = new UnscaledFonts()
  #last: Piece | undefined
  #lastDirection: Direction | undefined

  constructor(transform: number[]) {
    this.#transform = transform
  }

  add({ styles, items }: TextContent): void {
    Object.assign(this.#styles, styles)
    for (const item of items) if ('str' in item) this.#addItem(item)
  }

  settle(): void {
    this.#unscaled.settle(this.pieces)
  }

  #addItem(item: TextItem): void {
    const text = withoutLetterSpacing(cleanText(item.str))
    if (text.trim() === '') {
      if (this.#last && text !== '' && !this.#unscaled.has(item.fontName)) this.#last.spaceAfter = true
      return
    }
    const [a, b, c, d, x, y] = multiply(this.#transform, item.transform)
    const isVertical = this.#styles[item.fontName]?.vertical === true
    const length = Math.abs(isVertical ? item.height : item.width)
    const height = Math.hypot(c, d)
    const unit = Math.min(height, Math.max(Math.abs(a), Math.abs(b)))
    const size = this.#unscaled.sizeOf(text, length, item.fontName, unit) ?? (height || Math.hypot(a, b))
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
      order: this.count,
      rightToLeft: item.dir === 'rtl',
    }
    if (this.#last && direction === this.#lastDirection && joinAccent(this.#last, piece)) return
    this.count++
    this.#last = piece
    this.#lastDirection = direction
    addPiece(this.pieces, direction, piece)
  }
}

/** The text of a page, in the order of the file. `onText` is called while it is being read. */
export const readPieces = async (
  page: PdfPage,
  hasAnnotations: boolean,
  onText: () => void,
): Promise<PiecesOfPage> => {
  const { transform } = page.getViewport({ scale: 1 })
  const collector = new PieceCollector(transform)
  const parts = (page.streamTextContent() as ReadableStream<TextContent>).getReader()
  try {
    for (let part = await parts.read(); !part.done; part = await parts.read()) {
      collector.add(part.value)
      if (collector.count > maxPieces)
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
  collector.settle()
  if (hasAnnotations) await addAnnotations(page, collector.pieces, transform)
  return collector.pieces
}
