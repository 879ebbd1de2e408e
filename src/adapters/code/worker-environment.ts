import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/**
 * The environment of a worker that runs user code: of the server's, only the folder of compiled modules, which halves
 * the start time of a worker.
 */
export function workerEnvironment(): Record<string, string> {
  // Node uses a folder per version inside the configured one.
  const folder = getCompileCacheDir()
  return folder ? { NODE_COMPILE_CACHE: dirname(folder) } : {}
}
