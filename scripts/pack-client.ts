/**
 * Packs clients/typescript as the npm package @banyan/client, with types that are generated from the OpenAPI document:
 * `npm run pack:client -- FOLDER`.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { clientTypes } from './client-types.ts'

const root = join(import.meta.dirname, '..')
const target = resolve(process.argv[2] ?? join(root, 'package'))
const folder = mkdtempSync(join(tmpdir(), 'banyan-client-'))
try {
  cpSync(join(root, 'clients/typescript'), folder, { recursive: true })
  writeFileSync(join(folder, 'src/api.ts'), clientTypes())
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { stdio: 'inherit' })
  mkdirSync(target, { recursive: true })
  const args = ['pack', '--json', '--pack-destination', target]
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }))
  console.log(join(target, packed.filename))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
