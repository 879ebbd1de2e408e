import { AppError } from '../../kernel/app-error.ts'

const serialization = '40001'
const deadlock = '40P01'
/** Another transaction inserted the same key a moment ago; a retry finds its row. */
const uniqueViolation = '23505'

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

export const isRetryable = (error: unknown): boolean =>
  [serialization, deadlock, uniqueViolation].includes(codeOf(error))

const network = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENET)/
const messages =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|not currently accepting connections/

/** Maps driver errors about the server's state to application errors; others stay as they are. */
export function postgresError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  const code = codeOf(error)
  if (code === '53100')
    return new AppError('storage_full', "The database's disk is full; nothing was stored", { cause: error })
  if (code === '57014')
    return new AppError(
      'timed_out',
      'The database did not answer within DATABASE_STATEMENT_SECONDS. Try again in a moment.',
      { cause: error },
    )
  // 08: connection, 53: resources, 57P: shutdown or start.
  const unavailable =
    code.startsWith('08') || code.startsWith('53') || code.startsWith('57P') || code === '25006'
  return unavailable || network.test(code) || messages.test(error.message) ? unreachable(error) : error
}

/** No connection could be opened, for whatever reason. */
export const unreachable = (cause: unknown): AppError =>
  new AppError('unavailable', 'The database cannot be reached right now. Try again in a moment.', {
    cause,
    headers: { 'retry-after': '2' },
  })
