import { AppError } from '../../kernel/app-error.ts'

const serialization = '40001'
const deadlock = '40P01'
/** Somebody else inserted the same key a moment ago; another look finds theirs. */
const uniqueViolation = '23505'

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

export const isRetryable = (error: unknown): boolean =>
  [serialization, deadlock, uniqueViolation].includes(codeOf(error))

const network = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENET)/
const messages =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/

/** What the driver throws, in words of ours; what is no fault of the server's state stays as it is. */
export function postgresError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  const code = codeOf(error)
  if (code === '53100')
    return new AppError('storage_full', "The database's disk is full; nothing was stored", { cause: error })
  if (code === '57014') return new AppError('timed_out', 'The database took too long', { cause: error })
  // 08: connection, 53: resources, 57P: shutdown or start.
  const unavailable =
    code.startsWith('08') || code.startsWith('53') || code.startsWith('57P') || code === '25006'
  if (unavailable || network.test(code) || messages.test(error.message))
    return new AppError('unavailable', 'The database cannot be reached right now', {
      cause: error,
      headers: { 'retry-after': '2' },
    })
  return error
}
