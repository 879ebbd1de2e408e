import { accessSync, constants, globSync, mkdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const memory = '/dev/shm'
/** Tests need some hundred megabytes at a time. */
const neededBytes = 2 * 2 ** 30

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/**
 * A folder in memory for the data of tests, where the system has one that is large enough. The tests crash Banyan, not
 * the machine, so its writes survive without waiting for the disk.
 */
export function createTestFolder(): string | undefined {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize < neededBytes) return undefined
  } catch {
    return undefined
  }
  // Removes folders of killed runs.
  for (const name of globSync('banyan-tests-*', { cwd: memory }))
    if (!isRunning(Number(name.split('-').at(-1)))) removeTestFolder(join(memory, name))
  const folder = join(memory, `banyan-tests-${process.pid}`)
  mkdirSync(folder)
  return folder
}

/** Processes that end late may still write. */
export const removeTestFolder = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
