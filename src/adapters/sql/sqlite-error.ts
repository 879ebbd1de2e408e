import { AppError } from '../../kernel/app-error.ts'

const busy = 5
const readOnly = 8
const inputOutput = 10
const corrupt = 11
const full = 13
const cannotOpen = 14
const notADatabase = 26
const sharedMemorySize = 4874

/** Extended codes carry the kind of error in their low byte. */
const kindOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff

export const isBusy = (error: unknown): boolean => kindOf(error) === busy

/** The disk has no room for what would be written, or for the index of the write-ahead log. */
export const isFull = (error: unknown): boolean =>
  kindOf(error) === full || (error as { errcode?: number }).errcode === sharedMemorySize

/** Maps driver errors about the disk to application errors; others stay as they are. */
export function sqliteError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  switch (kindOf(error)) {
    case full:
      return new AppError(
        'storage_full',
        'The disk is full; nothing was stored. Free some space and try again.',
        { cause: error },
      )
    case busy:
    case readOnly:
    case inputOutput:
    case cannotOpen:
      return new AppError('unavailable', 'The database cannot be written right now. Try again in a moment.', {
        cause: error,
      })
    case corrupt:
    case notADatabase:
      return new AppError('unavailable', 'The database is damaged. Stop the server and restore a backup.', {
        cause: error,
      })
    default:
      return error
  }
}
