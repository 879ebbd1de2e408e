import { AppError } from '../../kernel/app-error.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import type { DocumentError } from '../document.ts'
import { DimensionChanged, EmbeddingNotConfigured } from '../embedder.ts'
import { DocumentFailure, type DocumentFailureCode, documentFailures } from './document-failure.ts'

export interface Failure {
  error: DocumentError
  /** Whether it should be tried again without anybody asking. */
  tryAgain: boolean
  waitMilliseconds: number | undefined
}

const failure = (code: DocumentFailureCode, message: string, tryAgain: boolean, wait?: number): Failure => ({
  error: { code, message, retryable: documentFailures[code].retryable },
  tryAgain,
  waitMilliseconds: wait,
})

/** What went wrong with a document, in words for the person who added it. */
export function failureOf(error: unknown): Failure {
  if (error instanceof DocumentFailure) return failure(error.code, error.message, false)
  if (error instanceof DimensionChanged) return failure('embedding_changed', error.message, false)
  if (error instanceof EmbeddingNotConfigured)
    return failure('embedding_not_configured', error.message, false)
  if (error instanceof ModelFailure)
    return failure('embedding_failed', error.message, error.retryable, error.retryAfterMilliseconds)
  if (error instanceof AppError) {
    if (error.reason === 'not_found' || error.reason === 'content_damaged')
      return failure('file_missing', 'The content of the file is gone or damaged. Upload it again.', false)
    return failure('internal', error.message, true)
  }
  return failure('internal', 'The server failed while it read this document. The log tells more.', true)
}
