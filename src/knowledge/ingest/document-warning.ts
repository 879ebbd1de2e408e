import { limits } from '../../contract/limits.ts'
import type { UnreadPages } from './block.ts'
import type { DocumentFailureCode } from './document-failure.ts'
import { howToRecognise } from './recognition/medium.ts'

/** A part that is missing in a document that is ready. */
export interface DocumentWarning {
  code: Extract<DocumentFailureCode, 'recognition_not_configured' | 'broken_file'>
  message: string
  pageCount: number
  /** The first pages of this kind. */
  pages: number[]
}

const maxRanges = 20

/** Ascending numbers as "2–5, 9". */
function pageRanges(pages: readonly number[]): string {
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

const reasons = {
  scan: {
    code: 'recognition_not_configured',
    one: 'it looks like a scan',
    more: 'they look like scans',
    advice: `, and no text recognition (OCR) is set up. ${howToRecognise}`,
  },
  // The reader may not find what follows a page whose entry in the file is damaged.
  damaged: {
    code: 'broken_file',
    one: 'it is damaged',
    more: 'they are damaged',
    advice: '. Pages after it may be missing, too. Save or export the PDF again, and upload it.',
  },
} as const

/** Warns about pages that were not read. */
export const unreadPages = (unread: readonly UnreadPages[]): DocumentWarning[] =>
  unread
    .filter(({ pages }) => pages.length > 0)
    .map(({ reason, pages }) => {
      const { length: pageCount } = pages
      const { code, one, more, advice } = reasons[reason]
      const subject =
        pageCount === 1
          ? `Page ${pages[0]} was not read: ${one}`
          : `${pageCount} pages (${pageRanges(pages)}) were not read: ${more}`
      return { code, message: subject + advice, pageCount, pages: pages.slice(0, limits.warningPages) }
    })

/** The same in a few words, for the text of a document around it. */
export const unreadPagesNote = (name: string, { reason, pages }: UnreadPages): string =>
  `(${name}: not read on page ${pageRanges(pages)}. It ${reason === 'scan' ? 'looks like a scan' : 'is damaged'}.)`
