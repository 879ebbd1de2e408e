/** Chunks of one batch that stand side by side in a segment. */
export interface SegmentRange {
  batchId: string
  /** Position of the first one within its document. */
  from: number
  count: number
}

/**
 * What is known of a segment before its postings are read. A segment is a piece of the keyword index: it is written
 * once and never changed, so whoever has read it may keep it. Its chunks are numbered from 0 in the order of `ranges`.
 */
export interface SegmentHeader {
  ranges: SegmentRange[]
  /** How many terms each chunk holds. */
  lengths: Uint32Array
  /** The first term of each block. */
  firstTerms: string[]
}

/** A segment as it is stored: the header, and blocks of postings in the order of their terms. */
export interface Segment {
  header: Uint8Array
  blocks: Uint8Array[]
  chunkCount: number
  termTotal: number
}
