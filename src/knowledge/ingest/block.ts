/** Where a block was found. Pages and slides count from 1. */
export interface Place {
  page?: number
  sheet?: string
}

/** The structure of a document. Chunking relies on it, so readers report headings, tables and code as such. */
export type Block =
  | ({ kind: 'heading'; level: number; text: string } & Place)
  /** One paragraph or one list item; an item starts with its marker ("- ", "1. "). */
  | ({ kind: 'paragraph' | 'code'; text: string } & Place)
  /** Cells as text. `header` is undefined if the document has none. */
  | ({ kind: 'table'; header: string[] | undefined; rows: string[][] } & Place)

/** The output of a reader: blocks in reading order, one at a time, so that a long document is never held in memory. */
export type ReadBlocks = AsyncIterable<Block> | Iterable<Block>
