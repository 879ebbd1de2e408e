import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/** The server's environment without anything but the compile cache, which halves the start time of a worker. */
export function workerEnvironment(): Record<string, string> {
  // Node uses a folder per version inside the configured one.
  const folder = getCompileCacheDir()
  return folder ? { NODE_COMPILE_CACHE: dirname(folder) } : {}
}
