import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { appText, appWith } from '../import/dify-apps.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { runBanyan } from './run-banyan.ts'

describe('import', () => {
  let database: FreshDatabase
  let server: ServerProcess
  let folder: string

  before(async () => {
    database = await freshDatabase()
    server = await spawnServer(database, { LOG_LEVEL: 'warn' })
    folder = await mkdtemp(join(tmpdir(), 'banyan-import-'))
  })
  after(async () => {
    await server.kill('SIGTERM')
    await database.drop()
    await rm(folder, { recursive: true })
  })

  const importFile = async (content: string, ...more: string[]) => {
    const path = join(folder, 'app.yml')
    await writeFile(path, content)
    return runBanyan(database, ['import', path, '--server', server.base, ...more])
  }

  test('stores an app, lists what differs, and exits with 0 if it can run', async () => {
    const data = { type: 'tool', title: 'Now', tool_name: 'current_time', provider_name: 'time' }
    const app = appWith({ id: 'n', data })
    const [a, b] = await Promise.all(
      ['A', 'B'].map(
        async name => (await server.api.post('knowledge/create', { name })).json.data.knowledge_id,
      ),
    )
    const { code, stdout } = await importFile(app, '--knowledge', `a=${a},b=${b}`, '--id', 'now')
    assert.match(stdout, /^The workflow now was created: version 1\./)
    assert.match(stdout, /changed +n +tool +The time is the start time of the run/)
    assert.equal(code, 0)
    const { exist } = (await server.api.get('workflow?id=now')).json.data
    assert.equal(exist, true)
  })

  test('exits with 1 if something must be replaced, and prints JSON for programs', async () => {
    const app = appWith({ id: 'n', data: { type: 'hologram', title: 'Show' } })
    const { code, stdout, stderr } = await importFile(app, '--json')
    const { report, warnings } = JSON.parse(stdout)
    assert.deepEqual(
      [report[1].state, warnings.some((each: { blocking: boolean }) => each.blocking)],
      ['unmapped', true],
    )
    assert.match(stderr, /cannot run yet: 1 problem\./)
    assert.equal(code, 1)
  })

  test('refuses what cannot be imported with one sentence', async () => {
    const broken = await importFile('app: [')
    assert.match(broken.stderr, /The file cannot be imported: line 1/)
    assert.equal(broken.code, 1)
    const missing = await runBanyan(database, ['import', join(folder, 'none.yml'), '--server', server.base])
    assert.match(missing.stderr, /none\.yml/)
    const wrong = await importFile(appText('digest'), '--knowledge', 'a')
    assert.match(wrong.stderr, /--knowledge: must have the form FOREIGN=ID/)
    assert.equal(wrong.code, 2)
  })
})
