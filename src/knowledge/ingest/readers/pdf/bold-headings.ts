import type { DocumentFacts } from './document-facts.ts'
import type { PdfDocument } from './open-pdf.ts'
import type { Line } from './page-lines.ts'

const maxLines = 2
const maxLength = 100
/** Finding out which fonts are bold takes as long as reading the text of a page, so it is done for few pages. */
const maxPages = 2

const bulletOrSmall = /^[•‣◦▪●○■□·*\ue000-\uf8ff\p{Ll}-]/u

/** Finds one or two lines that are set apart by their font, with space above them and other text below. */
export const linesSetApart = (
  lines: Line[],
  facts: DocumentFacts,
  isSet: (line: Line) => boolean,
): Set<Line> => {
  const found = new Set<Line>()
  for (let index = 0; index < lines.length; ) {
    const first = lines[index]!
    let end = index
    while (end < lines.length && lines[end]!.region === first.region && isSet(lines[end]!)) end++
    const run = lines.slice(index, end)
    const above = lines[index - 1]
    const isApart = above?.region !== first.region || first.y - above.y > first.size * facts.spacing * 1.15
    const isTitle =
      run.every(({ text }) => text.length <= maxLength) && !/[.,;:：]$/.test(run.at(-1)?.text ?? '.')
    const isAboveText = lines[end]?.region === first.region
    if (run.length <= maxLines && isApart && isTitle && isAboveText && !bulletOrSmall.test(first.text))
      for (const line of run) found.add(line)
    index = Math.max(end, index + 1)
  }
  return found
}

export class BoldFonts {
  readonly #bold = new Set<string>()

  has({ font, inFont, text, cells, rotated }: Line): boolean {
    return (
      this.#bold.size > 0 &&
      this.#bold.has(font) &&
      cells.length === 1 &&
      !rotated &&
      inFont > text.length * 0.6
    )
  }

  /** Looks at pages with lines that may be headings, by fonts other than that of the text. */
  async learn(document: PdfDocument, facts: DocumentFacts): Promise<void> {
    const known = new Set<string>([facts.bodyFont])
    let pages = 0
    for (const lines of facts.ahead) {
      const isOther = (line: Line): boolean =>
        line.font !== facts.bodyFont && line.cells.length === 1 && facts.mayBeHeading(line)
      const fonts = new Set([...linesSetApart(lines, facts, isOther)].map(({ font }) => font))
      const unknown = [...fonts].filter(font => !known.has(font))
      if (unknown.length === 0) continue
      const page = await document.getPage(lines[0]!.page)
      await page.getOperatorList()
      for (const font of unknown) {
        known.add(font)
        const name: unknown = page.commonObjs.has(font) ? page.commonObjs.get(font)?.name : undefined
        if (typeof name === 'string' && /bold|black|heavy|demi|semib|-bd\b|cmbx|hei\b|黑/i.test(name))
          this.#bold.add(font)
      }
      page.cleanup()
      if (++pages >= maxPages) return
    }
  }
}
