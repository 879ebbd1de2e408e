import type { Block, ReportProgress, ReportUnread } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { howToRecognise, type MediaReader } from '../../recognition/medium.ts'
import { BoldFonts } from './bold-headings.ts'
import { DocumentFacts, type OutlineEntry } from './document-facts.ts'
import { asPdfFailure, type OpenPdf, openPdf, type PdfDocument } from './open-pdf.ts'
import { type Line, readLines } from './page-lines.ts'
import { PdfBlocks } from './paragraphs.ts'
import { PageKinds } from './scanned-pages.ts'

/** Pages that are read before the first one is written, so that font sizes and running titles are known by then. */
const maxPagesAhead = 48
const maxLinesAhead = 20_000
const maxCharacters = 50_000_000

async function* textBlocks(
  { document, hasAnnotations }: OpenPdf,
  kinds: PageKinds,
  report: ReportProgress | undefined,
): AsyncGenerator<Block> {
  const facts = new DocumentFacts(await readOutline(document))
  const bold = new BoldFonts()
  const blocks = new PdfBlocks(facts, bold)
  let isStarted = false
  const start = async (): Promise<void> => {
    isStarted = true
    if (!facts.hasHeadings) await bold.learn(document, facts)
  }
  // The report also shows that the thread is not stuck.
  const onText = (): void => report?.(kinds.done, document.numPages)
  const readPage = async (number: number): Promise<Line[]> => {
    const page = await document.getPage(number)
    const lines = await readLines(page, number, hasAnnotations, onText)
    page.cleanup()
    return lines
  }
  let characters = 0
  for (let number = 1; number <= document.numPages; number++) {
    const lines = await readPage(number).catch((error: unknown) => {
      // The page is not damaged, and thousands like it would take hours.
      if (error instanceof DocumentFailure) throw error
      kinds.addDamaged(number, error)
    })
    if (!lines) continue
    const count = lengthOf(lines)
    characters += count
    if (characters > maxCharacters)
      throw new DocumentFailure('too_large', 'The PDF has more than 50 million characters. Split it.')
    kinds.add(number, count)
    facts.learn(lines)
    onText()
    while (facts.pagesAhead > maxPagesAhead || facts.linesAhead > maxLinesAhead) {
      if (!isStarted) await start()
      yield* blocks.page(facts.take())
    }
  }
  if (!isStarted) await start()
  while (facts.pagesAhead > 0) yield* blocks.page(facts.take())
  yield* blocks.end()
}

const lengthOf = (lines: Line[]): number => lines.reduce((sum, { text }) => sum + text.length, 0)

/**
 * Streams the blocks of a PDF. Scanned pages are recognised, and stand between the others. They have to be counted
 * before the first one is sent, so as soon as there is one, the rest of the document is searched for scans.
 */
export async function* readPdf(
  bytes: Uint8Array,
  media?: MediaReader,
  report?: ReportProgress,
  onUnread?: ReportUnread,
): AsyncGenerator<Block> {
  const opened = await openPdf(bytes)
  const { document } = opened
  try {
    const kinds = new PageKinds()
    const blocks = textBlocks(opened, kinds, report)
    const onPage = (): void => report?.(kinds.done, document.numPages)
    kinds.isSettled = media === undefined
    let canRecognise = false
    let next = await blocks.next()
    for (; ; next = await blocks.next()) {
      if (!kinds.isSettled && kinds.mayHaveScans) {
        // Called before the rest is searched for scans, which takes as long as reading it.
        canRecognise = await media!.startPages(0)
        const scans = canRecognise ? await kinds.findScans(document, { areRendered: true, onPage }) : []
        const recognised = scans.length > 0 && (await recogniseScans(bytes, scans, media!))
        kinds.isSettled = true
        if (recognised) {
          const { inPageOrder } = await import('../images/recognise-pages.ts')
          yield* inPageOrder(startingWith(next, blocks), recognised)
          return onUnread?.({ reason: 'damaged', pages: kinds.damaged })
        }
      }
      if (next.done) break
      yield next.value
    }
    if (!kinds.hasText && kinds.damage) throw kinds.damage
    if (!kinds.hasText)
      throw new DocumentFailure(
        'no_text',
        `The PDF has no text. It looks like a scan, and no text recognition (OCR) is set up. ${howToRecognise}`,
        { retryable: true },
      )
    onUnread?.({ reason: 'damaged', pages: kinds.damaged })
    if (onUnread && kinds.mayHaveScans && !canRecognise)
      onUnread({ reason: 'scan', pages: await kinds.findScans(document, { areRendered: false, onPage }) })
  } catch (error) {
    throw asPdfFailure(error)
  } finally {
    await opened.close()
  }
}

async function* startingWith(
  first: IteratorResult<Block, void>,
  rest: AsyncGenerator<Block>,
): AsyncGenerator<Block> {
  if (first.done) return
  yield first.value
  yield* rest
}

const recogniseScans = async (bytes: Uint8Array, numbers: number[], media: MediaReader) =>
  (await import('../images/render-pdf.ts')).recogniseScans(bytes, numbers, media)

const maxEntries = 5000
const maxDepth = 9

interface Node {
  title?: string
  items?: Node[]
}

/** The titles of the outline ("bookmarks"); none where it is missing or damaged. */
async function readOutline(document: PdfDocument): Promise<OutlineEntry[]> {
  const entries: OutlineEntry[] = []
  const visit = (nodes: Node[], depth: number): void => {
    for (const { title, items } of nodes) {
      if (entries.length >= maxEntries) return
      if (title) entries.push({ title, depth })
      if (items && depth < maxDepth) visit(items, depth + 1)
    }
  }
  try {
    visit((await document.getOutline()) ?? [], 1)
  } catch {
    return []
  }
  return entries
}
