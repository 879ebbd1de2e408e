/**
 * Updates package-lock.json here and in bench, test/clients and test/e2e after a change of the package.json beside it.
 *
 *   npm run lock
 *
 * npm resolves in an empty folder, because beside an installed node_modules it leaves out the packages of other
 * platforms. `engines` is dropped: npm compares it with the Node that runs npm, but every package runs on the Node 24
 * that is installed with it, so each of those warnings would be wrong (docs/decisions/2026-11-15-node-as-a-package.md).
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Lock {
  packages: Record<string, { engines?: unknown }>
}

function updateLock(folder: string): void {
  const empty = mkdtempSync(join(tmpdir(), 'banyan-lock-'))
  try {
    for (const file of ['package.json', 'package-lock.json'])
      if (existsSync(join(folder, file))) copyFileSync(join(folder, file), join(empty, file))
    execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], {
      cwd: empty,
      stdio: 'inherit',
    })
    const lock = JSON.parse(readFileSync(join(empty, 'package-lock.json'), 'utf8')) as Lock
    for (const [path, entry] of Object.entries(lock.packages)) if (path !== '') delete entry.engines
    writeFileSync(join(folder, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`)
  } finally {
    rmSync(empty, { recursive: true, force: true })
  }
}

const root = join(import.meta.dirname, '..')
for (const folder of ['', 'bench', 'test/clients', 'test/e2e']) updateLock(join(root, folder))
