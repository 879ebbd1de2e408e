import { errorCodes, statusOf } from '../contract/error-codes.ts'
import { basePath } from '../contract/operation.ts'
import { AppError } from '../kernel/app-error.ts'

interface FastifyFailure {
  code?: string
  statusCode?: number
}

/** Whatever was thrown, as a failure with a code. What nobody expected says nothing of its cause to the client. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const failure = error as FastifyFailure
  if (failure.code === 'FST_ERR_BAD_URL') return new AppError('not_found', 'There is no such path')
  if (failure.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new AppError('unsupported_media_type', 'The Content-Type cannot be understood', { cause: error })
  if (failure.statusCode && failure.statusCode < 500)
    return new AppError('malformed_http', 'The request cannot be understood', { cause: error })
  return new AppError('internal', 'The server failed; the trace id finds the cause in its log', {
    cause: error,
  })
}

const isFlat = (path: string): boolean => path.startsWith(`${basePath}/conversation/`)

/** The failing answer in the envelope of its family. */
export function errorBody(error: AppError, path: string, body: unknown): string {
  const code = errorCodes[error.reason].code
  const details = { reason: error.reason, errors: error.errors, ...error.data }
  if (!isFlat(path)) return JSON.stringify({ code, message: error.message, data: details })
  const sent = (body as { conversation_id?: unknown } | null | undefined)?.conversation_id
  const conversationId = typeof sent === 'string' ? sent : ''
  return JSON.stringify({
    code,
    msg: error.message,
    ...details,
    conversation_id: conversationId,
    retrieve_data: [],
  })
}

export const errorStatus = (error: AppError): number => statusOf(error.reason)
