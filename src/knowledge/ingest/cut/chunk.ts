/** One passage of a document: what is searched and what an answer cites. */
export interface Chunk {
  /** Counts from 0 within the document. */
  position: number
  content: string
  /** The headings above it, outermost first. */
  heading: string[]
  page?: number
  sheet?: string
  /** Where it begins and ends in the document's text, in UTF-16 units. */
  from: number
  to: number
  /** By `countTokens`. */
  tokens: number
}
