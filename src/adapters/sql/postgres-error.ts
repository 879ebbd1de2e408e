import { AppError } from '../../kernel/app-error.ts'

const serialization = '40001'
const deadlock = '40P01'
/** Another transaction inserted the same key a moment ago; a retry finds its row. */
const uniqueViolation = '23505'

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const isRetryable = (error: unknown): boolean =>
  [serialization, deadlock, uniqueViolation].includes(codeOf(error))

/** Repeats a transaction that failed because of a concurrent one. */
export async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= 5 || !isRetryable(error)) throw error
    }
  }
}

/** The driver's message when a connection, which may be half-open, gets no answer. */
export const noAnswer = 'Query read timeout'
const network = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENET)/
const messages =
  /Connection terminated|Client has encountered a connection error|not currently accepting connections/

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
  if (isExhausted(error)) return allInUse(error)
  // 08: connection, 53: resources, 57P: shutdown or start, 25P03: the transaction was idle for too long.
  const unavailable = /^(08|53|57P)/.test(code) || code === '25006' || code === '25P03'
  const isUnreachable =
    unavailable || network.test(code) || messages.test(error.message) || error.message === noAnswer
  return isUnreachable ? unreachable(error) : error
}

/** The pool's message when no connection became free in time. */
const isExhausted = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'

const allInUse = (cause: unknown): AppError =>
  new AppError(
    'unavailable',
    'All connections to the database are in use. Try again in a moment; if this happens often, raise DATABASE_POOL_SIZE.',
    { cause, headers: { 'retry-after': '2' } },
  )

/** No connection could be opened, for whatever reason. */
export const noConnection = (error: unknown): AppError =>
  isExhausted(error) ? allInUse(error) : unreachable(error)

const unreachable = (cause: unknown): AppError =>
  new AppError('unavailable', 'The database cannot be reached right now. Try again in a moment.', {
    cause,
    headers: { 'retry-after': '2' },
  })
