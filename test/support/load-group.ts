import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe } from 'node:test'
import { seedProperties } from './preload.ts'

const root = join(import.meta.dirname, '../..')
const require = createRequire(import.meta.url)

/**
 * Declares the tests of several files (scripts/test-groups.ts), each as a suite: hooks at the top of a file then belong
 * to its tests. A suite is declared at once, so the files may not await anything at their top.
 */
export async function loadGroup(files: readonly string[]): Promise<void> {
  const paths = files.map(file => join(root, file))
  await seedProperties(paths)
  for (const [at, file] of files.entries()) describe(file, () => require(paths[at]!))
}
