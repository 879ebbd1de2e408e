import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const installedLock = join(import.meta.dirname, 'node_modules/.package-lock.json')

interface Packages {
  packages?: Record<string, { version?: string }>
  dependencies?: Record<string, string>
}

const read = (path: string): Packages => JSON.parse(readFileSync(path, 'utf8')) as Packages

function areInstalled(): boolean {
  if (!existsSync(installedLock)) return false
  const { packages = {} } = read(installedLock)
  const { dependencies = {} } = read(join(import.meta.dirname, 'package.json'))
  return Object.entries(dependencies).every(
    ([name, version]) => packages[`node_modules/${name}`]?.version === version,
  )
}

/** Installs the compared libraries into bench/node_modules, unless they are there already. */
export function installLibraries(): void {
  if (areInstalled()) return
  console.error('Installing the libraries to compare with (bench/package.json) …')
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
