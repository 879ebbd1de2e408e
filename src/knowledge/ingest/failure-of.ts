import { AppError } from '../../kernel/app-error.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import { EmbeddingFailure } from '../embedder.ts'
import { DocumentFailure, type DocumentFailureCode } from './document-failure.ts'
import { RecognitionFailure } from './recognition/recognition-service.ts'

/** A server that is too busy to convert a file in time stays so for a while. */
const busyMilliseconds = 60_000

interface Failure {
  code: DocumentFailureCode
  message: string
  /** Whether to retry automatically, and how long the provider asked to wait. */
  isTransient: boolean
  waitMilliseconds?: number
}

/** The failure that the user sees. */
export function failureOf(error: unknown): Failure {
  if (error instanceof DocumentFailure && error.code === 'conversion_timed_out')
    return { code: error.code, message: error.message, isTransient: true, waitMilliseconds: busyMilliseconds }
  if (error instanceof DocumentFailure || error instanceof EmbeddingFailure)
    return { code: error.code, message: error.message, isTransient: false }
  if (error instanceof ModelFailure) {
    const { message, retryable: isTransient, retryAfterMilliseconds: waitMilliseconds } = error
    const code = error instanceof RecognitionFailure ? error.code : 'embedding_failed'
    return { code, message, isTransient, waitMilliseconds }
  }
  if (error instanceof AppError && error.reason === 'not_found')
    return { code: 'file_missing', message: 'The file was deleted. Upload it again.', isTransient: false }
  if (error instanceof AppError && error.reason === 'content_damaged') {
    const message =
      'The stored content of the file is damaged or lost. Upload the same file again, then process this document again.'
    return { code: 'file_damaged', message, isTransient: false }
  }
  const message =
    error instanceof AppError
      ? error.message
      : 'An internal error occurred while processing this document. See the server log for details.'
  return { code: 'internal', message, isTransient: true }
}
