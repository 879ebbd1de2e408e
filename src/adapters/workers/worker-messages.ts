import type { Segment } from '../../knowledge/index/segment.ts'
import type { DocumentFailureCode } from '../../knowledge/ingest/document-failure.ts'
import type { FileToRead, ReadGroup, ReadPart } from '../../knowledge/ingest/document-reader.ts'
import type { Medium, RecognisedText } from '../../knowledge/ingest/recognition/medium.ts'
import type { TextsToIndex } from '../../knowledge/text-indexer.ts'

/** A question of a worker while it reads a document. Pages are announced before they are rendered. */
export type Question = Medium | { kind: 'pages'; total: number } | { kind: 'blank' }

export interface Replies {
  medium: RecognisedText
  /** Whether pages can be recognised. */
  pages: boolean
  blank: undefined
}

/** From the pool to a worker. */
export type Task =
  | { kind: 'read'; file: FileToRead }
  | { kind: 'group'; files: FileToRead[] }
  /** The part was stored; continue. */
  | { kind: 'next' }
  /** The reply to the question with this number. */
  | { kind: 'reply'; question: number; reply: Replies[keyof Replies] }
  | { kind: 'index'; texts: TextsToIndex }
  | { kind: 'merge'; segments: Pick<Segment, 'header' | 'blocks'>[]; deletedBatchIds: string[] }

/** From a worker to the pool. */
export type Report =
  /** The thread is up and begins its task. */
  | { kind: 'started' }
  /** The thread waits for a program that has its own limits. */
  | { kind: 'alive' }
  /** A part of the document; the last one ends the task. */
  | { kind: 'part'; part: ReadPart }
  | { kind: 'ask'; number: number; question: Question }
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'group'; group: ReadGroup }
  /** The result of `index` and `merge`. */
  | { kind: 'segment'; segment: Segment }
  | { kind: 'failed'; code: DocumentFailureCode; message: string; retryable: boolean }
  | { kind: 'broken'; message: string }

/** The buffers that can be transferred to another thread: copying tens of megabytes delays requests. */
export const transferable = (segments: Pick<Segment, 'header' | 'blocks'>[]): ArrayBuffer[] =>
  segments
    .flatMap(({ header, blocks }) => [header, ...blocks])
    .filter(bytes => bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer)
    .map(bytes => bytes.buffer as ArrayBuffer)
