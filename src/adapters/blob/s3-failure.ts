import { AppError } from '../../kernel/app-error.ts'

interface ClientError extends Error {
  code?: string
  $metadata?: { httpStatusCode?: number }
}

const missing = new Set(['NoSuchKey', 'NotFound'])
const conflicts = new Set(['PreconditionFailed', 'ConditionalRequestConflict'])
const full = new Set(['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull'])
/** Their status is that of a client error, but a retry may succeed; after the second one the client corrects its clock. */
const retried = new Set(['RequestTimeout', 'RequestTimeTooSkewed'])

export const isTimeout = (error: unknown): boolean => (error as ClientError).name === 'TimeoutError'

/** The same request may succeed in a moment. */
export const isTransient = (error: unknown): boolean => {
  const { name, $metadata } = error as ClientError
  const status = $metadata?.httpStatusCode
  return status === undefined || status >= 500 || status === 429 || retried.has(name)
}

/** The error for a failed request. Everything but a missing object may succeed later. */
export const s3Failure = (error: unknown, bucket: string): AppError => {
  const { name, code, message, $metadata } = error as ClientError
  const options = { cause: error }
  if (missing.has(name))
    return new AppError(
      'content_damaged',
      'The content of the file is missing; restore it from a backup',
      options,
    )
  if (name === 'InvalidRange')
    return new AppError(
      'content_damaged',
      'The content of the file is too short; restore it from a backup',
      options,
    )
  if (conflicts.has(name)) return new AppError('already_exists', 'The object already exists', options)
  if (full.has(name) || $metadata?.httpStatusCode === 507)
    return new AppError('storage_full', `The bucket ${bucket} is full; free some space`, options)
  const isAnswered = $metadata?.httpStatusCode !== undefined
  const reason = isAnswered ? name : isTimeout(error) ? 'no response in time' : (code ?? message)
  return new AppError(
    'unavailable',
    `The S3 store is unavailable (${reason}); check the bucket ${bucket} and the AWS settings`,
    options,
  )
}

/** `undefined` if the object does not exist. */
export const unlessMissing = async <Result>(call: Promise<Result>): Promise<Result | undefined> => {
  try {
    return await call
  } catch (error) {
    if (error instanceof AppError && error.reason === 'content_damaged') return undefined
    throw error
  }
}
