import { limits } from '../../contract/limits.ts'
import type { DocumentFailureCode } from './document-failure.ts'
import { howToRecognise } from './recognition/medium.ts'

/** A part that is missing in a document that is ready. */
export interface DocumentWarning {
  code: Extract<DocumentFailureCode, 'recognition_not_configured'>
  message: string
  pageCount: number
  /** The first pages of this kind. */
  pages: number[]
}

const maxRanges = 20

/** Ascending numbers as "2–5, 9". */
export function pageRanges(pages: readonly number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const page of pages) {
    const current = ranges.at(-1)
    if (current?.[1] === page - 1) current[1] = page
    else ranges.push([page, page])
  }
  const shown = ranges
    .slice(0, maxRanges)
    .map(([first, last]) => (first === last ? first : `${first}–${last}`))
  return [...shown, ...(ranges.length > maxRanges ? ['…'] : [])].join(', ')
}

/** Warns about pages without text that nothing can recognise. */
export function unreadPages(pages: readonly number[]): DocumentWarning[] {
  const { length: pageCount } = pages
  if (pageCount === 0) return []
  const subject =
    pageCount === 1
      ? `Page ${pages[0]} was not read: it looks like a scan`
      : `${pageCount} pages (${pageRanges(pages)}) were not read: they look like scans`
  return [
    {
      code: 'recognition_not_configured',
      message: `${subject}, and no text recognition (OCR) is set up. ${howToRecognise}`,
      pageCount,
      pages: pages.slice(0, limits.warningPages),
    },
  ]
}
