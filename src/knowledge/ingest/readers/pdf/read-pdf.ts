import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import type { Line } from './page-lines.ts'
import { pdfParagraphs, withoutRunningTitles } from './paragraphs.ts'
import { readPdfPages } from './pdf-document.ts'

const maxCharacters = 50_000_000

/**
 * Keeps the lines of all pages, because the body font size and running titles depend on the whole document; the pages
 * themselves are released one by one.
 */
export async function* readPdf(bytes: Uint8Array): AsyncGenerator<Block> {
  const lines: Line[] = []
  let characters = 0
  let pages = 0
  for await (const found of readPdfPages(bytes)) {
    pages += 1
    for (const line of found) {
      characters += line.text.length
      lines.push(line)
    }
    if (characters > maxCharacters)
      throw new DocumentFailure('too_large', 'The PDF has more than 50 million characters. Split it.')
  }
  if (lines.length === 0)
    throw new DocumentFailure(
      'no_text',
      'The PDF has no text. It looks like a scan: run text recognition (OCR) on it and upload the result.',
    )
  yield* pdfParagraphs(withoutRunningTitles(lines, pages))
}
