import type { Segment } from '../../knowledge/index/segment.ts'
import type { DocumentFailureCode } from '../../knowledge/ingest/document-failure.ts'
import type { FileToRead, ReadPart } from '../../knowledge/ingest/document-reader.ts'

/** From the pool to a worker. */
export type Task =
  | { kind: 'read'; file: FileToRead }
  /** The part was stored; continue. */
  | { kind: 'next' }
  | { kind: 'merge'; segments: Pick<Segment, 'header' | 'blocks'>[]; deletedBatchIds: string[] }

/** From a worker to the pool. */
export type Report =
  /** The thread is up and begins its task. */
  | { kind: 'started' }
  /** The last one ends the task. */
  | { kind: 'part'; part: ReadPart }
  | { kind: 'merged'; segment: Segment }
  | { kind: 'failed'; code: DocumentFailureCode; message: string }
  | { kind: 'broken'; message: string }

/**
 * The buffers of segments that can be transferred to another thread. A merge has tens of megabytes, and copying them
 * would delay requests. A slice of a larger buffer of the database driver cannot be transferred.
 */
export const transferable = (segments: Pick<Segment, 'header' | 'blocks'>[]): ArrayBuffer[] =>
  segments
    .flatMap(({ header, blocks }) => [header, ...blocks])
    .filter(bytes => bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer)
    .map(bytes => bytes.buffer as ArrayBuffer)
