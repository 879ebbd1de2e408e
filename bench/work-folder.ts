import { mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')
const parent = join(root, 'data')

/** A folder on the project's own disk; the system's temporary folder may be in memory. */
export async function withWorkFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, 'bench-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
    await rmdir(parent).catch(() => {})
  }
}
