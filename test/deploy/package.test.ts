import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { addTexts, makeBase, whenIngested } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { makeWorkflow, runWorkflow } from '../support/talk.ts'
import { namesFound } from '../support/watch.ts'
import { node } from '../workflow/graphs.ts'

const root = join(import.meta.dirname, '../..')

/**
 * An empty folder with the packed program and the packages that it declares, as npm installs them; these are links, so that
 * the test needs no network. scripts/check-package.sh installs it with npm.
 */
function installPackage(folder: string): { installed: string; command: string } {
  const pack = ['--disable-warning=ExperimentalWarning', join(root, 'scripts/pack.ts'), folder]
  execFileSync(process.execPath, pack, { stdio: 'pipe' })
  const [archive] = globSync('*.tgz', { cwd: folder })
  const installed = join(folder, 'node_modules/banyan')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, archive!), '-C', installed, '--strip-components=1'])
  const { dependencies, bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
  return { installed, command: join(installed, bin.banyan) }
}

describe('the packed program', () => {
  let folder: string
  let installed: string
  let command: string
  let database: FreshDatabase
  let server: ServerProcess
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'banyan-packed-'))
    ;({ installed, command } = installPackage(folder))
    database = await freshDatabase()
    server = await spawnServer(database, { BOOTSTRAP_TOKEN: 'operator-token-of-the-package' }, [], command)
  })
  after(async () => {
    await server?.kill('SIGTERM')
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('has JavaScript and no sources, and declares no development packages', () => {
    assert.deepEqual(globSync('**/*.{ts,tsx}', { cwd: installed }), [])
    const {
      devDependencies,
      scripts,
      private: isPrivate,
    } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    assert.deepEqual([devDependencies, scripts, isPrivate], [undefined, undefined, undefined])
  })

  test('serves the console and the reference', async () => {
    const page = await (await fetch(`${server.base}/`)).text()
    const script = /src="\.\/(assets\/[^"]+\.js)"/.exec(page)?.[1]
    assert.equal((await fetch(`${server.base}/${script}`)).status, 200)
    assert.equal((await fetch(`${server.base}/docs`)).status, 200)
  })

  test('runs workflows with code, and ingests and finds documents, in its threads', async () => {
    const code = node('code', 'code', { code: 'function main() { return { sum: 1 + 2 } }' })
    const id = await makeWorkflow(server.api, chain(code, output('say', '{{#code.result.sum#}}')))
    const { status, answer, error } = await runWorkflow(server.api, id, 'x')
    assert.equal(status, 'succeeded', JSON.stringify(error))
    assert.equal(answer, '3')
    const base = await makeBase(server.api)
    await addTexts(server.api, base, { 'tea.txt': 'Green tea is brewed at 80 degrees.' })
    await whenIngested(server.api, base)
    assert.deepEqual(await namesFound(server.api, base, 'green tea'), ['tea.txt'])
  })

  test('has the commands, and names itself in their help', () => {
    const help = execFileSync(process.execPath, [command, 'help'], { encoding: 'utf8' })
    assert.match(help, /npx banyan token create/)
  })
})
