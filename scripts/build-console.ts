/**
 * Builds the console into console/dist, where the server finds it, unless what is there was built from the same
 * sources. `npm ci` runs it, and so do the tests.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'console/dist')
const stamp = join(dist, '.sources')

/** One value for everything that the result depends on. */
function sourcesHash(): string {
  const hash = createHash('sha256')
  const files = globSync(
    ['console/src/**/*.*', 'console/{index.html,vite.config.ts}', 'src/contract/*.ts', 'package-lock.json'],
    { cwd: root },
  )
  for (const file of [...files, 'scripts/build-console.ts'].sort())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0')
  return hash.digest('hex')
}

/** Compressed once here instead of for every visitor. */
function compressAll(): void {
  for (const file of globSync('**/*.{js,css,html,svg}', { cwd: dist })) {
    const path = join(dist, file)
    const content = readFileSync(path)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
  }
}

async function build(): Promise<void> {
  const hash = sourcesHash()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return
  const vite = await import('vite').catch(() => undefined)
  // An installation without development packages may still serve what was built before.
  if (!vite) return console.log('The console was not built: install with development packages to build it.')
  await vite.build({ root: join(root, 'console'), logLevel: 'warn' })
  compressAll()
  writeFileSync(stamp, hash)
  console.log('Built the console.')
}

await build()
