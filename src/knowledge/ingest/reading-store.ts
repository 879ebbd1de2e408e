import type { Chunking } from '../chunking.ts'
import type { DocumentError, DocumentStatus } from '../document.ts'
import type { Segment } from '../index/segment.ts'
import type { Chunk } from './chunking/chunk.ts'

/** One document on its way into one generation. Whoever holds the lease may work on it. */
export interface Reading {
  workspaceId: string
  knowledgeId: string
  generationId: string
  fileId: string
  name: string
  mimeType: string
  /** Bytes of the file. */
  size: number
  chunking: Chunking
  embeddingModel: string | null
  /** Of the vectors of the generation; known since the first of them. */
  dimension: number | null
  /** Proves the lease; a new one with every claim. */
  lease: string
  /** What this attempt writes goes under this name, and is seen by nobody until it is whole. */
  batchId: string
  /** Counts what went wrong since it was put into the queue. */
  retries: number
}

export interface StagedChunk extends Chunk {
  id: string
}

/** What one part of a document adds. */
export interface StagedPart {
  chunks: StagedChunk[]
  segment: Segment | undefined
  /** Counts the segments of the document. */
  segmentOrdinal: number
  /** One per chunk, or none at all. */
  vectors: Float32Array[]
}

export interface Claim {
  lease: string
  batchId: string
  now: number
  /** When the lease ends. */
  until: number
  /** Larger documents are passed over. */
  mostBytes?: number
}

/** Every move is a compare-and-set by the lease: false means that the lease is lost and the work is void. */
export interface ReadingStore {
  /** Takes the reading that is due the longest, or undefined. The third interruption in a row marks it failed. */
  claim(options: Claim): Promise<Reading | undefined>
  /** Prolongs the lease and shows how far it is. */
  renew(
    reading: Reading,
    status: DocumentStatus,
    progress: number,
    now: number,
    until: number,
  ): Promise<boolean>
  stage(reading: Reading, part: StagedPart, now: number): Promise<boolean>
  /** Adds the last part and makes the batch visible in place of the one before, together with `ready`. */
  finish(reading: Reading, last: StagedPart, chunkCount: number, now: number): Promise<boolean>
  fail(reading: Reading, error: DocumentError, now: number): Promise<boolean>
  /** Back into the queue: after a failure that another try may mend, or because the server stops. */
  release(
    reading: Reading,
    options: { dueAt: number; retries: number; error: DocumentError | undefined; now: number },
  ): Promise<boolean>
  /** When the next reading is due, or undefined. */
  nextDue(): Promise<number | undefined>
  /** The leases that are held. */
  leases(): Promise<string[]>
  /** Their holders are gone: what they had is due now. */
  expire(leases: string[], now: number): Promise<void>
  /** Puts next generations in place of live ones where every document is through; tells how many. */
  swapWhole(now: number): Promise<number>
  /** A vector's length, the same for all of a generation: takes the first and refuses others. */
  agreeOnDimension(workspaceId: string, generationId: string, dimension: number): Promise<boolean>
}
