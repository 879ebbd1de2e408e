import { setImmediate } from 'node:timers/promises'

/**
 * On damaged files the PDF library sometimes rejects a promise that nobody waits for, also after the read has failed.
 * That would end the whole thread. What comes from elsewhere stays as fatal as it was.
 */
const ignoreIfFromLibrary = (reason: unknown): void => {
  if (reason instanceof Error && /[\\/]unpdf[\\/]/.test(reason.stack ?? '')) return
  throw reason
}

let readers = 0

/** Ignores them until the returned function is called. */
export const ignoreStrayRejections = (): (() => Promise<void>) => {
  if (readers === 0) process.on('unhandledRejection', ignoreIfFromLibrary)
  readers += 1
  return async () => {
    // They are reported after the code that is running now.
    await setImmediate()
    readers -= 1
    if (readers === 0) process.off('unhandledRejection', ignoreIfFromLibrary)
  }
}
