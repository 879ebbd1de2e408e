import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '../../kernel/sync-folder.ts'
import { errorCodeOf } from './disk-failure.ts'

/**
 * Creates shard directories and remembers them. The first use in a process syncs the parent even if the directory
 * exists, because the process that created it may have crashed before its sync. Writers of one shard share the promise,
 * so that none finishes before the directory itself is durable.
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
