import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '../../kernel/durable-files.ts'
import { errorCodeOf } from './disk-failure.ts'

/** Creates a directory and syncs the parent of every new level, so that it survives power loss. */
export const makeFolder = async (folder: string): Promise<void> => {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (firstMade === undefined) return
  const last = dirname(firstMade)
  for (let level = folder; level !== last && level !== dirname(level); level = dirname(level))
    await syncFolder(dirname(level))
}

const makeShard = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error
  }
  await syncFolder(dirname(path))
}

/**
 * Creates shard directories and remembers them. The first use in a process syncs the parent even if the directory
 * exists, because the process that created it may have crashed before its sync. Writers of one shard share the promise,
 * so that none finishes before the directory itself is durable.
 */
export const createShardFolders = () => {
  const known = new Map<string, Promise<void>>()
  return {
    ready(path: string): Promise<void> {
      const begun = known.get(path)
      if (begun) return begun
      const making = makeShard(path)
      known.set(path, making)
      making.catch(() => known.delete(path))
      return making
    },
    forget: (path: string) => known.delete(path),
  }
}
