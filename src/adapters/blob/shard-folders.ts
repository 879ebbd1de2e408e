import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCodeOf } from './disk-failure.ts'
import { syncFolder } from './sync-folder.ts'

/**
 * Makes the folder of a shard and remembers it. The first use in a process syncs the parent even
 * when the folder exists: whoever made it, this process before a kill or another one, may not have.
 * Writers of one shard share the promise, so none finishes before the folder itself is safe.
 */
export const createShardFolders = (): { ready(path: string): Promise<void>; forget(path: string): void } => {
  const known = new Map<string, Promise<void>>()

  const make = async (path: string): Promise<void> => {
    try {
      await mkdir(path, { mode: 0o700 })
    } catch (error) {
      if (errorCodeOf(error) !== 'EEXIST') throw error
    }
    await syncFolder(dirname(path))
  }

  return {
    ready(path) {
      const begun = known.get(path)
      if (begun) return begun
      const making = make(path)
      known.set(path, making)
      making.catch(() => known.delete(path))
      return making
    },
    forget: path => known.delete(path),
  }
}
