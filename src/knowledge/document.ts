import type { Chunking } from './chunking.ts'
import type { DocumentFailureCode } from './ingest/document-failure.ts'
import type { Metadata } from './knowledge-base.ts'

export type DocumentStatus = 'queued' | 'parsing' | 'chunking' | 'embedding' | 'ready' | 'failed' | 'disabled'

export interface DocumentError {
  code: DocumentFailureCode
  message: string
  retryable: boolean
}

/** A file within a knowledge base. */
export interface KnowledgeDocument {
  fileId: string
  name: string
  mimeType: string
  size: number
  status: DocumentStatus
  progress: number
  chunkCount: number
  attempts: number
  error: DocumentError | undefined
  metadata: Metadata
  chunking: Chunking | undefined
  createdAt: number
  updatedAt: number
  indexedAt: number | undefined
}
