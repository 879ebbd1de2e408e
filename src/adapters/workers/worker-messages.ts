import type { Segment } from '../../knowledge/index/segment.ts'
import type { DocumentFailureCode } from '../../knowledge/ingest/document-failure.ts'
import type { FileToRead, ReadPart } from '../../knowledge/ingest/document-reader.ts'

/** What the pool asks of a worker. */
export type Task =
  | { kind: 'read'; file: FileToRead }
  /** The last part was taken; go on. */
  | { kind: 'next' }
  | { kind: 'merge'; segments: Pick<Segment, 'header' | 'blocks'>[]; goneBatchIds: string[] }

/** What a worker says. */
export type Report =
  | { kind: 'part'; part: ReadPart }
  | { kind: 'read' }
  | { kind: 'merged'; segment: Segment }
  | { kind: 'failed'; code: DocumentFailureCode; message: string }
  | { kind: 'broken'; message: string }
