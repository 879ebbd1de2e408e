import { buffer } from 'node:stream/consumers'
import type { FileService } from '../files/file-service.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Chunking } from './chunking.ts'
import type { Chunk } from './ingest/chunking/chunk.ts'
import { DocumentFailure, type DocumentFailureCode } from './ingest/document-failure.ts'
import type { DocumentReader } from './ingest/document-reader.ts'
import type { KnowledgeService } from './knowledge-service.ts'

interface PreviewRequest {
  fileId: string
  chunking: Partial<Chunking>
  maxChunks: number
}

interface PreviewParts {
  bases: Pick<KnowledgeService, 'find'>
  files: Pick<FileService, 'find' | 'read'>
  reader: DocumentReader
}

const maxMilliseconds = 20_000
const maxBytes = 100 << 20

/** Stops reading early: there are enough chunks. */
class EnoughChunks extends Error {}

const withoutText: ReadonlySet<DocumentFailureCode> = new Set([
  'no_text',
  'recognition_not_configured',
  'transcription_not_configured',
])

/** Reads and splits a file as the ingestion would, and stores nothing. */
export class PreviewService {
  readonly #parts: PreviewParts

  /** The reader recognises no text in images: that takes a model, its cost, and more time than a preview has. */
  constructor(parts: PreviewParts) {
    this.#parts = parts
  }

  async preview(workspaceId: string, knowledgeId: string, { fileId, chunking, maxChunks }: PreviewRequest) {
    const { bases, files, reader } = this.#parts
    const base = await bases.find(workspaceId, knowledgeId)
    const used = { ...base.chunking, ...chunking }
    const file = await files.find(workspaceId, fileId)
    const { name, mimeType, size } = file
    if (size > maxBytes)
      throw new AppError(
        'too_large',
        `${name} is larger than ${maxBytes >> 20} MiB, the limit for a preview. Preview a part of it, or add it without a preview.`,
      )
    const load = async () => new Uint8Array(await buffer(await files.read(file)))
    const timeout = AbortSignal.timeout(maxMilliseconds)
    const chunks: Chunk[] = []
    let isComplete = true
    try {
      await reader.read(
        { workspaceId, name, mimeType, size, load, chunking: used, batchId: '' },
        async part => {
          chunks.push(...part.chunks)
          if (chunks.length >= maxChunks && !part.isLast) throw new EnoughChunks()
        },
        timeout,
      )
    } catch (error) {
      if (error instanceof DocumentFailure) throw unreadable(name, error)
      if (!(error instanceof EnoughChunks) && !timeout.aborted) throw error
      isComplete = false
    }
    if (chunks.length === 0)
      throw new AppError(
        'timed_out',
        `${name} was not read within ${maxMilliseconds / 1000} s. Preview a smaller file, or add it without a preview.`,
      )
    return {
      fileId,
      name,
      chunking: used,
      complete: isComplete && chunks.length <= maxChunks,
      items: chunks.slice(0, maxChunks),
    }
  }
}

const unreadable = (name: string, error: DocumentFailure): AppError =>
  new AppError(
    'unsupported_media_type',
    withoutText.has(error.code)
      ? `${name} has no text of its own. A preview does not recognise text in scans, images and recordings; add the document to see its passages.`
      : `${name} cannot be read: ${error.message}`,
    { cause: error },
  )
