/** Where a block was found. Pages and slides count from 1. */
export interface Place {
  page?: number
  sheet?: string
}

/** The pieces a document is read into. The cutter makes chunks of them, so what is structure must be told here. */
export type Block =
  | ({ kind: 'heading'; level: number; text: string } & Place)
  /** One paragraph or one list item; an item keeps its mark ("- ", "1. ") as the first characters. */
  | ({ kind: 'paragraph'; text: string } & Place)
  | ({ kind: 'code'; text: string; language?: string } & Place)
  /** Cells as text. `header` is undefined where the document does not tell one. */
  | ({ kind: 'table'; header: string[] | undefined; rows: string[][] } & Place)

/** What a reader hands over. Blocks come in reading order and one at a time, so that a long document need not be held. */
export type ReadBlocks = AsyncIterable<Block> | Iterable<Block>
