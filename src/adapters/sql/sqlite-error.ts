import { AppError } from '../../kernel/app-error.ts'

const busy = 5
const full = 13
const sharedMemorySize = 4874

const notWritable = 'The database cannot be written right now. Try again in a moment.'
const damaged = 'The database is damaged. Stop the server and restore a backup.'
/** Busy, read-only, input or output, cannot open; corrupt, not a database. */
const problems: Record<number, string> = {
  ...{ [busy]: notWritable, 8: notWritable, 10: notWritable, 14: notWritable },
  ...{ 11: damaged, 26: damaged },
}

/** Extended codes carry the kind of error in their low byte. */
const kindOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff

export const isBusy = (error: unknown): boolean => kindOf(error) === busy

/** The disk has no room for what would be written, or for the index of the write-ahead log. */
export const isFull = (error: unknown): boolean =>
  kindOf(error) === full || (error as { errcode?: number }).errcode === sharedMemorySize

/** Maps driver errors about the disk to application errors; others stay as they are. */
export function sqliteError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  if (kindOf(error) === full)
    return new AppError(
      'storage_full',
      'The disk is full; nothing was stored. Free some space and try again.',
      { cause: error },
    )
  const problem = problems[kindOf(error)]
  return problem === undefined ? error : new AppError('unavailable', problem, { cause: error })
}
