import { openPdf, type PdfDocument, type PdfPage } from './open-pdf.ts'

/** A page with fewer characters may be a scan with a stamp or a page number on it. */
const fewCharacters = 64
/** Of the page. */
const minImageShare = 0.6

const lengthOfText = async (page: PdfPage): Promise<number> => {
  const { items } = await page.getTextContent()
  return items.reduce((sum, item) => sum + ('str' in item ? item.str.trim().length : 0), 0)
}

/** Which pages have how much text, as far as they were read. */
export class PageKinds {
  readonly #few = new Map<number, number>()
  #read = 0
  hasText = false

  add(page: number, characters: number): void {
    this.#read = page
    if (characters > 0) this.hasText = true
    if (characters < fewCharacters) this.#few.set(page, characters)
  }

  get mayHaveScans(): boolean {
    return this.#few.size > 0
  }

  /** Pages without text, and pages with little text above an image of the whole page. */
  async findScans(bytes: Uint8Array, document: PdfDocument): Promise<number[]> {
    const few = new Map(this.#few)
    for (let number = this.#read + 1; number <= document.numPages; number++) {
      const page = await document.getPage(number)
      const characters = await lengthOfText(page)
      page.cleanup()
      if (characters < fewCharacters) few.set(number, characters)
    }
    const withText = [...few].filter(([, characters]) => characters > 0).map(([number]) => number)
    const images = withText.length > 0 ? await pagesOfOneImage(bytes, withText) : new Set<number>()
    return [...few.keys()].filter(number => few.get(number) === 0 || images.has(number))
  }
}

/** Images are not decoded when text is read, so the document is opened once more. */
async function pagesOfOneImage(bytes: Uint8Array, numbers: number[]): Promise<Set<number>> {
  const { OPS } = await (await import('unpdf')).getResolvedPDFJS()
  const isImage = new Set<number>([
    OPS.paintImageXObject,
    OPS.paintInlineImageXObject,
    OPS.paintImageMaskXObject,
  ])
  const { document, close } = await openPdf(bytes, { images: true })
  const found = new Set<number>()
  try {
    for (const number of numbers) {
      const page = await document.getPage(number)
      const { fnArray, argsArray } = await page.getOperatorList()
      const { width, height } = page.getViewport({ scale: 1 })
      const areas = imageAreas(fnArray, argsArray, OPS, isImage)
      if (Math.max(0, ...areas) > width * height * minImageShare) found.add(number)
      page.cleanup()
    }
  } finally {
    await close()
  }
  return found
}

/** An image fills the unit square of its coordinates. */
function imageAreas(
  operators: number[],
  values: unknown[],
  OPS: { save: number; restore: number; transform: number },
  isImage: Set<number>,
): number[] {
  const areas: number[] = []
  const saved: number[] = []
  let scale = 1
  for (const [index, operator] of operators.entries()) {
    if (operator === OPS.save) saved.push(scale)
    else if (operator === OPS.restore) scale = saved.pop() ?? 1
    else if (operator === OPS.transform) {
      const [a = 1, b = 0, c = 0, d = 1] = values[index] as number[]
      scale *= Math.abs(a * d - b * c)
    } else if (isImage.has(operator)) areas.push(scale)
  }
  return areas.slice(0, 1000)
}
