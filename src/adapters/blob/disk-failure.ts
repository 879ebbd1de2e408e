import { constants } from 'node:os'
import { AppError } from '../../kernel/app-error.ts'

const full = new Set(['ENOSPC', 'EDQUOT'])

/** The disk, the mount or its rights: an operator can mend these, and the same call then works. */
const unreachable = new Set([
  'EROFS',
  'EIO',
  'EMFILE',
  'ENFILE',
  'EACCES',
  'EPERM',
  'ENOENT',
  'ENOTDIR',
  'EEXIST',
  'ENODEV',
  'ENXIO',
  'ESTALE',
  'ETIMEDOUT',
])

/** Some codes, EDQUOT and ESTALE among them, come from libuv as "Unknown system error" with the number only. */
const nameOfErrno = new Map(Object.entries(constants.errno).map(([name, number]) => [-number, name]))

export const errorCodeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  const { code, errno } = error as NodeJS.ErrnoException
  return (errno === undefined ? undefined : nameOfErrno.get(errno)) ?? code
}

/** What a failed file system call means for the caller. Anything unforeseen stays as it is: a fault of ours. */
export const diskFailure = (error: unknown): unknown => {
  const code = errorCodeOf(error) ?? ''
  if (full.has(code))
    return new AppError('storage_full', 'The disk of the file store is full', { cause: error })
  if (unreachable.has(code))
    return new AppError('unavailable', `The file store cannot be used (${code})`, { cause: error })
  return error
}

/** Runs file system calls only: failures of a source or a client must not pass for failures of the disk. */
export const onDisk = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (error) {
    throw diskFailure(error)
  }
}
