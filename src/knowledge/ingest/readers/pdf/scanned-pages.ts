import type { PdfDocument, PdfPage } from './open-pdf.ts'

/** A page with fewer characters may be a scan with a stamp or a page number on it. */
const fewCharacters = 64
/** Share of the page that the image of a scan covers. */
const minImageShare = 0.6
/** A page without text is not blank if an image takes this share of it, or if it has this many drawn shapes. */
const minDrawnShare = 0.05
const minShapes = 10
/** Examining what a page draws takes longer than reading it. If this many pages have no text, the others are scans, too. */
const maxTextlessPages = 200
/** Maximum operators to examine per page. Scans have few. */
const maxOperators = 20_000

const lengthOfText = async (document: PdfDocument, number: number): Promise<number> => {
  const page = await document.getPage(number)
  const { items } = await page.getTextContent()
  page.cleanup()
  return items.reduce((sum, item) => sum + ('str' in item ? item.str.trim().length : 0), 0)
}

interface FindOptions {
  /** Pages without text are rendered later, which shows whether they are blank. */
  areRendered: boolean
  onPage(): void
}

/** How much text the pages have that were read so far. */
export class PageKinds {
  readonly #few = new Map<number, number>()
  #read = 0
  hasText = false
  readonly damaged: number[] = []
  /** Why the first damaged page could not be read. */
  damage: unknown
  /** Set when it is known what happens to scanned pages. */
  isSettled = false

  add(page: number, characters: number): void {
    this.#read = page
    if (characters > 0) this.hasText = true
    if (characters < fewCharacters) this.#few.set(page, characters)
  }

  addDamaged(page: number, damage: unknown): void {
    this.#read = page
    this.damaged.push(page)
    this.damage ??= damage
  }

  get mayHaveScans(): boolean {
    return this.#few.size > 0
  }

  /** Pages that are done: those behind a scan have to wait for its recognition. */
  get done(): number {
    const [first = this.#read + 1] = this.isSettled ? [] : this.#few.keys()
    return first - 1
  }

  /** Pages without text, and pages with little text above an image of the whole page. */
  async findScans(document: PdfDocument, { areRendered, onPage }: FindOptions): Promise<number[]> {
    const few = new Map(this.#few)
    for (let number = this.#read + 1; number <= document.numPages; number++) {
      // A damaged page is no scan.
      const characters = await lengthOfText(document, number).catch(() => fewCharacters)
      onPage()
      if (characters < fewCharacters) few.set(number, characters)
    }
    const scans: number[] = []
    let textless = areRendered ? maxTextlessPages : 0
    for (const [number, characters] of few) {
      const isTextless = characters === 0
      if ((isTextless && ++textless > maxTextlessPages) || (await isScan(document, number, isTextless)))
        scans.push(number)
      onPage()
    }
    return scans
  }
}

async function isScan(document: PdfDocument, number: number, isTextless: boolean): Promise<boolean> {
  const page = await document.getPage(number)
  const { width, height } = page.getViewport({ scale: 1 })
  const minShare = isTextless ? minDrawnShare : minImageShare
  const isDrawn = ({ imageArea, shapes }: Drawing): boolean =>
    imageArea / (width * height) > minShare || (isTextless && shapes >= minShapes)
  // A page that cannot be drawn cannot be recognised either.
  const result = await drawingOf(page, isDrawn).then(isDrawn, () => false)
  page.cleanup()
  return result
}

type Operators = Awaited<ReturnType<PdfPage['getOperatorList']>>

/** The part of the library that takes a page's operators as they are parsed. */
interface OperatorSource {
  _renderPageChunk(
    chunk: Operators & { lastChunk: boolean },
    state: { streamReader: { read(): Promise<unknown> } },
  ): void
}

/** Reads what a page draws until that is enough: a page with a drawing of 400,000 lines would take many seconds. */
async function drawingOf(page: PdfPage, isEnough: (drawing: Drawing) => boolean): Promise<Drawing> {
  const { OPS } = await (await import('unpdf')).getResolvedPDFJS()
  const drawing = new Drawing(OPS)
  const { promise, resolve } = Promise.withResolvers<void>()
  ;(page as unknown as OperatorSource)._renderPageChunk = (chunk, state) => {
    drawing.add(chunk)
    if (!chunk.lastChunk && !isEnough(drawing) && drawing.operators < maxOperators) return
    // The library parses no further while nothing is taken, until the document is closed.
    state.streamReader.read = () => new Promise(() => {})
    resolve()
  }
  await Promise.race([promise, page.getOperatorList()])
  drawing.end()
  return drawing
}

/**
 * The largest image of a page, and how many shapes are drawn. An image fills the unit square of its coordinates. Decoding
 * it can take seconds, so it is left out by the library (`maxImageSize`): what remains are coordinates in which nothing
 * is drawn.
 */
class Drawing {
  readonly #codes: Record<string, number>
  #state = { scale: 1, isUnused: false }
  readonly #saved: { scale: number; isUnused: boolean }[] = []
  imageArea = 0
  shapes = 0
  operators = 0

  constructor(codes: Record<string, number>) {
    this.#codes = codes
  }

  add({ fnArray, argsArray }: Operators): void {
    const codes = this.#codes
    this.operators += fnArray.length
    for (const [index, operator] of fnArray.entries()) {
      const values = argsArray[index] as unknown[]
      if (operator === codes.save) this.#saved.push({ ...this.#state })
      else if (operator === codes.restore || operator === codes.paintFormXObjectEnd) this.end()
      else if (operator === codes.paintFormXObjectBegin) {
        this.#saved.push({ ...this.#state })
        this.#scaleBy(values[0] as number[] | null)
      } else if (operator === codes.transform) {
        this.#scaleBy(values as number[])
        this.#state.isUnused = true
      } else if (operator === codes.constructPath) {
        // Other paths only clip what is drawn next.
        if (values[0] === codes.endPath) continue
        this.shapes++
        this.#state.isUnused = false
      } else if (operator === codes.showText) this.#state.isUnused = false
    }
  }

  /** Leaves the innermost coordinates. */
  end(): void {
    const { scale, isUnused } = this.#state
    this.#state = this.#saved.pop() ?? { scale: 1, isUnused: false }
    if (!isUnused) return
    this.imageArea = Math.max(this.imageArea, scale)
    this.#state.isUnused = false
  }

  #scaleBy(matrix: number[] | null): void {
    const [a = 1, b = 0, c = 0, d = 1] = matrix ?? []
    this.#state.scale *= Math.abs(a * d - b * c)
  }
}
