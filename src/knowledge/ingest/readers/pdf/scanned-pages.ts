import type { PdfDocument, PdfPage } from './open-pdf.ts'

/** A page with fewer characters may be a scan with a stamp or a page number on it. */
const fewCharacters = 64
/** Of the page. */
const minImageShare = 0.6
/** A page without text is not blank if an image takes this share of it, or if it has this many drawn shapes. */
const minDrawnShare = 0.05
const minShapes = 10
/** Looking at a page takes longer than reading it. Where so many have no text, the others are scans, too. */
const maxTextlessPages = 200

const lengthOfText = async (page: PdfPage): Promise<number> => {
  const { items } = await page.getTextContent()
  return items.reduce((sum, item) => sum + ('str' in item ? item.str.trim().length : 0), 0)
}

interface FindOptions {
  /** Pages without text are rendered later, which shows whether they are blank. */
  areRendered: boolean
  onPage(): void
}

/** Which pages have how much text, as far as they were read. */
export class PageKinds {
  readonly #few = new Map<number, number>()
  #read = 0
  hasText = false
  /** It is known what becomes of scanned pages. */
  isSettled = false

  add(page: number, characters: number): void {
    this.#read = page
    if (characters > 0) this.hasText = true
    if (characters < fewCharacters) this.#few.set(page, characters)
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
      const page = await document.getPage(number)
      const characters = await lengthOfText(page)
      page.cleanup()
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
  // What cannot be drawn cannot be recognised either.
  const { imageArea, shapes } = await drawingOf(page).catch(() => ({ imageArea: 0, shapes: 0 }))
  const { width, height } = page.getViewport({ scale: 1 })
  page.cleanup()
  const share = imageArea / (width * height)
  return isTextless ? share > minDrawnShare || shapes >= minShapes : share > minImageShare
}

/**
 * The largest image of a page, and how many shapes are drawn. An image fills the unit square of its coordinates. Decoding
 * it can take seconds, so it is left out by the library (`maxImageSize`): what remains are coordinates in which nothing
 * is drawn.
 */
async function drawingOf(page: PdfPage): Promise<{ imageArea: number; shapes: number }> {
  const { OPS } = await (await import('unpdf')).getResolvedPDFJS()
  const { fnArray, argsArray } = await page.getOperatorList()
  let state = { scale: 1, isUnused: false }
  const saved: (typeof state)[] = []
  let imageArea = 0
  let shapes = 0
  const scaleBy = (matrix: number[] | null): void => {
    const [a = 1, b = 0, c = 0, d = 1] = matrix ?? []
    state.scale *= Math.abs(a * d - b * c)
  }
  const leave = (): void => {
    const { scale, isUnused } = state
    state = saved.pop() ?? { scale: 1, isUnused: false }
    if (!isUnused) return
    imageArea = Math.max(imageArea, scale)
    state.isUnused = false
  }
  for (const [index, operator] of fnArray.entries()) {
    const values = argsArray[index] as unknown[]
    if (operator === OPS.save) saved.push({ ...state })
    else if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd) leave()
    else if (operator === OPS.paintFormXObjectBegin) {
      saved.push({ ...state })
      scaleBy(values[0] as number[] | null)
    } else if (operator === OPS.transform) {
      scaleBy(values as number[])
      state.isUnused = true
    } else if (operator === OPS.constructPath) {
      // Others only limit what is drawn next.
      if (values[0] === OPS.endPath) continue
      shapes++
      state.isUnused = false
    } else if (operator === OPS.showText) state.isUnused = false
  }
  leave()
  return { imageArea, shapes }
}
