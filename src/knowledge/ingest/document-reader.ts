import type { Chunking } from '../chunking.ts'
import type { Segment } from '../index/segment.ts'
import type { Chunk } from './chunking/chunk.ts'

export interface FileToRead {
  name: string
  mimeType: string
  bytes: Uint8Array<ArrayBuffer>
  chunking: Chunking
  batchId: string
}

/** A file whose bytes are fetched only when a reader is free: those that wait take no memory. */
export interface FileToLoad extends Omit<FileToRead, 'bytes'> {
  load(): Promise<Uint8Array<ArrayBuffer>>
}

/** The next piece of a document that is being read. */
export interface ReadPart {
  chunks: Chunk[]
  /** The keyword index of the chunks since the last one; not with every part. */
  segment: Segment | undefined
  isLast: boolean
}

/** Reads, cuts and indexes a file, away from the main thread. */
export interface DocumentReader {
  /**
   * Calls `take` for part after part and waits for it before reading far ahead. Fails with a `DocumentFailure`,
   * or with whatever `take` threw.
   */
  read(file: FileToLoad, take: (part: ReadPart) => Promise<void>, signal: AbortSignal): Promise<void>
}
