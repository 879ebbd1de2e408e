import { link, open, unlink } from 'node:fs/promises'

const hasCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code

/** `undefined` if the file does not exist. */
export const unlessAbsent = <Result>(call: Promise<Result>): Promise<Result | undefined> =>
  call.catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })

/** Makes new, renamed and removed entries of a directory survive power loss. */
export const syncFolder = async (path: string): Promise<void> => {
  // Windows cannot sync a directory; NTFS journals its entries itself.
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Gives a complete file its final name; false if the name exists, for example because another process was first. */
export async function publishOnce(partial: string, path: string): Promise<boolean> {
  try {
    await link(partial, path)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  } finally {
    await unlink(partial)
  }
}
