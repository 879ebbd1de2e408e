/** Where a block was found. Pages and slides count from 1. */
export interface Place {
  page?: number
  /** The page where the block ends, if it is another one. */
  lastPage?: number
  sheet?: string
}

/** A line of a page, and where it begins in the text of its block. */
export interface LinePlace {
  at: number
  page: number
  /** The size of the page in points. */
  width: number
  height: number
  /** Unknown for rotated text. */
  box?: Box
}

/** Left, top, right and bottom, in points from the upper left corner of a page. */
export type Box = [left: number, top: number, right: number, bottom: number]

/** Where a passage stands on a page. */
export interface PageBoxes {
  page: number
  width: number
  height: number
  boxes: Box[]
}

interface Origin extends Omit<Place, 'lastPage'> {
  /** In formats with a page layout. */
  lines?: LinePlace[]
  /** Text around the document, such as a menu. It gets chunks and headings of its own. */
  apart?: boolean
}

/** The structure of a document. Chunking relies on it, so readers report headings, tables and code as such. */
export type Block =
  | ({ kind: 'heading'; level: number; text: string } & Origin)
  /** One paragraph or one list item; an item starts with its marker ("- ", "1. "). */
  | ({ kind: 'paragraph' | 'code'; text: string } & Origin)
  /** Cells as text. `header` is undefined if the document has none. */
  | ({ kind: 'table'; header: string[] | undefined; rows: string[][] } & Origin)

/** The output of a reader: blocks in reading order, one at a time, so that a long document is never held in memory. */
export type ReadBlocks = AsyncIterable<Block> | Iterable<Block>

/** Reports how much of a document was read, so that a long document is not taken for a stuck one. */
export type ReportProgress = (done: number, total: number) => void

/** Pages that were not read: scans that nothing could recognise, or damaged ones. */
export interface UnreadPages {
  reason: 'scan' | 'damaged'
  pages: number[]
}

export type ReportUnread = (unread: UnreadPages) => void
