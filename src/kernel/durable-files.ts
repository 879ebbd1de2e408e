import { link, mkdir, open, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

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

/**
 * Creates a directory and its missing parents, so that they survive power loss. Not with Node's recursive `mkdir`: it
 * never ends on a file system such as /proc, which answers ENOENT although the parent exists.
 */
export async function makeFolder(path: string): Promise<void> {
  const create = () => mkdir(path, { mode: 0o700 })
  try {
    await create().catch(async (error: unknown) => {
      if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error
      await makeFolder(dirname(path))
      await create()
    })
  } catch (error) {
    if ((await unlessAbsent(stat(path)))?.isDirectory()) return
    throw error
  }
  await syncFolder(dirname(path))
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
