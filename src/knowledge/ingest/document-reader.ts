import type { Chunking } from '../chunking.ts'
import type { Segment, SegmentRange } from '../index/segment.ts'
import { SegmentBuilder } from '../index/segment-builder.ts'
import { isMenu } from '../text/menu-mark.ts'
import { chunkTerms } from '../text/text-terms.ts'
import type { ReportUnread, UnreadPages } from './block.ts'
import type { Chunk } from './chunking/chunk.ts'
import { chunkBlocks } from './chunking/chunk-blocks.ts'
import { DocumentFailure } from './document-failure.ts'
import { isPlainText } from './readers/document-format.ts'
import { type ReadHelpers, readDocument } from './readers/read-document.ts'
import type { DocumentMedia } from './recognition/medium.ts'

export interface FileToRead {
  name: string
  mimeType: string
  bytes: Uint8Array<ArrayBuffer>
  chunking: Chunking
  batchId: string
}

/** A file whose bytes are loaded only when a thread is free, unless it is small: waiting files take little memory. */
export interface FileToLoad extends Omit<FileToRead, 'bytes'> {
  /** Workspaces take turns in using the threads. */
  workspaceId: string
  size: number
  load(): Promise<Uint8Array<ArrayBuffer>>
  /** Called when a thread is free. */
  onStart?(): void
  /** Without it, scans, images and recordings have no text. */
  media?: DocumentMedia
  /** Pages whose text is recognised. */
  onPages?(done: number, total: number): Promise<void>
  /** Parts of the file that were read, where their number is known. */
  onProgress?(done: number, total: number): Promise<void>
}

export interface ReadPart {
  chunks: Chunk[]
  /** The keyword index of the chunks since the last segment; not in every part. */
  segment: Segment | undefined
  isLast: boolean
  /** Known in the last part. */
  unreadPages: UnreadPages[]
}

export interface ReadGroup {
  /** One entry per file; a file that fails does not fail the others. Undefined for a file that has to be read alone. */
  files: (Chunk[] | Pick<DocumentFailure, 'code' | 'message' | 'retryable'> | undefined)[]
  /** The keyword index of the files that were read; undefined if there are none. */
  segment: Segment | undefined
}

/** Reads, chunks and indexes a file off the main thread. */
export interface DocumentReader {
  /** Reads small texts with one message to a thread and one segment. */
  readGroup(workspaceId: string, files: FileToRead[], signal: AbortSignal): Promise<ReadGroup>
  /** Calls `take` for each part, and waits for it before the next. Fails with a `DocumentFailure`, or an error of `take`. */
  read(file: FileToLoad, take: (part: ReadPart) => Promise<void>, signal: AbortSignal): Promise<void>
}

const chunksPerPart = 32
/** Limits the memory of the builder; segments of one document are merged like any others. */
const chunksPerSegment = 1024

/** Turns bytes into the rows to store, part by part. Runs in a worker thread. */
export async function* readIntoParts(
  file: FileToRead,
  helpers: Omit<ReadHelpers, 'onUnread'> = {},
): AsyncGenerator<ReadPart> {
  let chunks: Chunk[] = []
  let builder = new SegmentBuilder()
  let total = 0
  const unreadPages: UnreadPages[] = []
  const onUnread: ReportUnread = unread => void unreadPages.push(unread)
  const finish = (): Segment => builder.finish({ batchId: file.batchId, from: total - builder.chunkCount })
  for await (const chunk of chunkBlocks(readDocument(file, { ...helpers, onUnread }), file.chunking)) {
    // Only now is it known that the previous part was not the last.
    if (chunks.length >= chunksPerPart) {
      const isFull = builder.chunkCount >= chunksPerSegment
      yield { chunks, segment: isFull ? finish() : undefined, isLast: false, unreadPages: [] }
      chunks = []
      if (isFull) builder = new SegmentBuilder()
    }
    chunks.push(chunk)
    total++
    builder.add(chunkTerms(chunk, file.name), isMenu(chunk.heading))
  }
  if (total === 0) throw noText()
  yield { chunks, segment: finish(), isLast: true, unreadPages }
}

/** Runs in a worker thread, too. */
export async function readGroup(files: FileToRead[]): Promise<ReadGroup> {
  const builder = new SegmentBuilder()
  const ranges: SegmentRange[] = []
  const read: ReadGroup['files'] = []
  for (const file of files) {
    // Here, without LibreOffice and models, its failure could be wrong.
    if (!isPlainText(file.name, file.mimeType)) {
      read.push(undefined)
      continue
    }
    try {
      const chunks: Chunk[] = []
      for await (const chunk of chunkBlocks(readDocument(file, {}), file.chunking)) {
        chunks.push(chunk)
        if (chunks.length > chunksPerPart) break
      }
      // A group is stored at once, but texts that consist of headings could have thousands of chunks.
      if (chunks.length > chunksPerPart) {
        read.push(undefined)
        continue
      }
      if (chunks.length === 0) throw noText()
      // Only files that were read to their end are indexed.
      for (const chunk of chunks) builder.add(chunkTerms(chunk, file.name), isMenu(chunk.heading))
      ranges.push({ batchId: file.batchId, from: 0, count: chunks.length })
      read.push(chunks)
    } catch (error) {
      if (!(error instanceof DocumentFailure)) throw error
      const { code, message, retryable } = error
      read.push({ code, message, retryable })
    }
  }
  return { files: read, segment: ranges.length > 0 ? builder.finishAll(ranges) : undefined }
}

const noText = (): DocumentFailure => new DocumentFailure('no_text', 'No text was found in the file.')
