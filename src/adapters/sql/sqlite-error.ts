import { AppError } from '../../kernel/app-error.ts'

const busy = 5
const readOnly = 8
const inputOutput = 10
const full = 13
const cannotOpen = 14

export const isBusy = (error: unknown): boolean =>
  (((error as { errcode?: number }).errcode ?? 0) & 0xff) === busy

/** Maps driver errors about the disk to application errors; others stay as they are. */
export function sqliteError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  const code = (error as { errcode?: number }).errcode
  if (code === undefined) return error
  // Extended codes carry the kind of error in their low byte.
  switch (code & 0xff) {
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
    default:
      return error
  }
}
