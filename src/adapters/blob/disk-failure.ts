import { constants } from 'node:os'
import { AppError } from '../../kernel/app-error.ts'

const full = new Set(['ENOSPC', 'EDQUOT'])

/** Problems of the disk, the mount or permissions, which an operator can fix. */
const unreachable = new Set(
  'EROFS EIO EMFILE ENFILE EACCES EPERM ENOENT ENOTDIR EEXIST ENODEV ENXIO ESTALE ETIMEDOUT'.split(' '),
)

/** libuv reports some codes, such as EDQUOT and ESTALE, only as a number. */
const nameOfErrno = new Map(Object.entries(constants.errno).map(([name, number]) => [-number, name]))

export const errorCodeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  const { code, errno } = error as NodeJS.ErrnoException
  return (errno === undefined ? undefined : nameOfErrno.get(errno)) ?? code
}

/** The error for a failed file system call. Unexpected ones are returned unchanged and become `internal`. */
export const diskFailure = (error: unknown): unknown => {
  const code = errorCodeOf(error) ?? ''
  if (full.has(code))
    return new AppError('storage_full', 'The disk of the file store is full; free some space', {
      cause: error,
    })
  if (unreachable.has(code))
    return new AppError('unavailable', `The file store is unavailable (${code}); check DATA_DIR`, {
      cause: error,
    })
  return error
}

/** For file system calls only: an error of the source or the client must not be reported as a disk error. */
export const onDisk = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (error) {
    throw diskFailure(error)
  }
}
