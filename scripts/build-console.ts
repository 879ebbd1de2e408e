/**
 * Builds the console into console/dist, where the server finds it, unless the console there was built from the same
 * sources. `npm ci` runs it, and so do the tests.
 *
 * An installation without development packages (`npm ci --omit=dev`) has no Vite and no React. The console is then
 * built in a temporary folder, with just the packages that it imports, in the versions of the lock file.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'console/dist')
const stamp = join(dist, '.sources')

const programFiles = [
  'console/src/**/*.*',
  'console/{index.html,chat.html,vite.config.ts}',
  'src/contract/*.ts',
  // The templates of the console.
  'examples/*.{json,yml}',
]

/** One value for everything that the result depends on. */
function sourcesHash(): string {
  const hash = createHash('sha256')
  const files = globSync([...programFiles, 'package-lock.json'], { cwd: root })
  for (const file of [...files, 'scripts/build-console.ts'].sort())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0')
  return hash.digest('hex')
}

/** Compressed once here instead of for every request. */
function compressAll(): void {
  for (const file of globSync('**/*.{js,mjs,css,html,svg}', { cwd: dist })) {
    const path = join(dist, file)
    const content = readFileSync(path)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
  }
}

/** The packages that the console, its contract and its build configuration import. */
function importedPackages(): Set<string> {
  // @antv/x6 imports tslib without declaring it.
  const names = new Set(['tslib'])
  for (const file of globSync(programFiles, { cwd: root }))
    for (const [, name] of readFileSync(join(root, file), 'utf8').matchAll(
      /(?:from |import |import\(|url\()['"]((?:@[\w.-]+\/)?[\w-][\w.-]*)/g,
    ))
      names.add(name!)
  return names
}

type Manifest = Record<string, Record<string, string>>

function buildInTemporaryFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), 'banyan-console-'))
  try {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
    const needed = importedPackages()
    const dependencies = Object.fromEntries(
      Object.entries({ ...manifest['dependencies'], ...manifest['devDependencies'] }).filter(([name]) =>
        needed.has(name),
      ),
    )
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ private: true, type: 'module', dependencies, overrides: manifest['overrides'] }),
    )
    for (const path of ['package-lock.json', 'tsconfig.json', 'src/contract', 'examples']) copy(path, folder)
    for (const path of ['src', 'index.html', 'chat.html', 'vite.config.ts', 'tsconfig.json'])
      copy(join('console', path), folder)
    // npm passes its own options, such as --omit=dev, to the scripts that it runs.
    const env = { ...process.env, npm_config_omit: '', NODE_ENV: '' }
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const built = join(folder, 'dist')
    execFileSync(
      process.execPath,
      [join(folder, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn', '--outDir', built],
      { cwd: join(folder, 'console'), env, stdio: ['ignore', 'ignore', 'inherit'] },
    )
    // Only now, because a build that fails leaves some of its files.
    rmSync(dist, { recursive: true, force: true })
    cpSync(built, dist, { recursive: true })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const copy = (path: string, folder: string): void =>
  cpSync(join(root, path), join(folder, path), { recursive: true })

async function build(): Promise<void> {
  const hash = sourcesHash()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return
  const vite = await import('vite').catch(() => undefined)
  if (vite) await vite.build({ root: join(root, 'console'), logLevel: 'warn' })
  else
    try {
      buildInTemporaryFolder()
    } catch (error) {
      // The server works without its console, so an installation must not fail because of it.
      console.error(error)
      return console.error('The console was not built. Run "npm run build" to try again.')
    }
  compressAll()
  writeFileSync(stamp, hash)
  console.log('Built the console.')
}

await build()
