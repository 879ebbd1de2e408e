import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { everything } from '../backup/everything.ts'
import { fill } from '../backup/fill.ts'
import { fillKnowledge, modelSettings } from '../backup/fill-knowledge.ts'
import { freshSqlite, openPlace, type Place } from '../backup/place.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'
import { launchServer, spawnServer } from '../support/server-process.ts'
import { runBanyan } from './run-banyan.ts'

const skip = process.env['TEST_DATABASE_URL'] ? false : 'it needs PostgreSQL: set TEST_DATABASE_URL'

describe('migrating to PostgreSQL', { skip }, () => {
  let provider: ScriptedProvider
  let sqlite: Place
  let postgres: Place
  before(async () => {
    provider = await startScriptedProvider()
    sqlite = await openPlace(await freshSqlite(), modelSettings(provider))
    const database = await freshDatabase()
    postgres = await openPlace({ ...database, folder: sqlite.database.folder }, modelSettings(provider))
  })
  after(async () => {
    await postgres.drop()
    await sqlite.drop()
    await provider.close()
  })

  const migrate = (url: string) =>
    runBanyan(sqlite.database, ['migrate-to', url, '--json'], [], { DATABASE_URL: '' })

  test('keeps everything, and the old database refuses the files', async () => {
    const filling = await sqlite.serve({ first: true, atWork: true })
    const { otherToken } = await fill(filling.api)
    await fillKnowledge(filling.api, filling.api.as(otherToken))
    await filling.stop()
    const running = await sqlite.serve()
    const mine = await everything(running.api)
    const theirs = await everything(running.api.as(otherToken))
    await running.stop()

    const { code, stdout, stderr } = await migrate(postgres.database.url!)
    assert.equal(code, 0, stderr)
    assert.ok(JSON.parse(stdout).rows.workflows > 0)
    const again = await postgres.serve()
    assert.deepEqual(await everything(again.api), mine)
    assert.deepEqual(await everything(again.api.as(otherToken)), theirs)
    await again.stop()
    const refused = launchServer({ ...sqlite.database, url: undefined })
    assert.equal(await refused.ended, 1)
    assert.match(refused.output(), /belong to the installation/)
  })

  test('changes nothing where the other database has data, or cannot be reached', async () => {
    const place = await freshSqlite()
    const server = await spawnServer(place)
    await server.kill('SIGTERM')
    for (const [url, problem] of [
      [postgres.database.url!, /already has data/],
      ['postgres://127.0.0.1:1/none', /./],
      ['mysql://localhost/banyan', /must begin with postgres/],
    ] as const) {
      const { code, stderr } = await runBanyan(place, ['migrate-to', url], [], { DATABASE_URL: '' })
      assert.notEqual(code, 0)
      assert.match(stderr, problem)
    }
    const again = await spawnServer(place)
    await again.kill('SIGTERM')
    await place.drop()
  })
})
