import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { type ScriptedSite, startScriptedSite } from '../support/scripted-site.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { documentsOf, until } from '../support/watch.ts'

let database: FreshDatabase
let site: ScriptedSite
let server: ServerProcess

const start = (): Promise<ServerProcess> =>
  spawnServer(database, {
    ...{ EGRESS_ALLOW: new URL(site.origin).host, BOOTSTRAP_TOKEN: 'operator-token-of-the-drills' },
    LOG_LEVEL: 'warn',
  })

before(async () => {
  database = await migratedDatabase()
  site = await startScriptedSite()
})
after(async () => {
  await server?.kill('SIGKILL')
  await site.close()
  await database.drop()
})

test('a page is fetched again after the server was killed, and becomes one document', async () => {
  server = await start()
  const id = await makeBase(server.api, { embedding: null })
  site.set('/page', (_headers, count) => (count === 1 ? { hangs: true } : '<title>Page</title><p>Text.</p>'))
  const urls = [`${site.origin}/page`]
  const { items } = await dataOf(server.api.post(`knowledge/${id}/pages/create`, { urls }))
  await until('the page is requested', async () => site.count('/page') === 1)
  const path = `knowledge/${id}/pages/${items[0].page_id}`
  assert.equal((await dataOf(server.api.get(path))).status, 'fetching')
  await server.kill('SIGKILL')
  server = await start()
  await until('the page is fetched', async () => (await dataOf(server.api.get(path))).status === 'ready')
  await whenIngested(server.api, id)
  assert.deepEqual(
    (await documentsOf(server.api, id)).map(({ name }) => name),
    ['Page.html'],
  )
  assert.equal(site.count('/page'), 2)
})
