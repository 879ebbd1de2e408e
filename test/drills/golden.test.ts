import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { until } from '../support/watch.ts'

let database: FreshDatabase
let provider: ScriptedProvider
let server: ServerProcess

const start = (): Promise<ServerProcess> =>
  spawnServer(database, {
    ...{ EMBEDDING_BASE_URL: provider.baseUrl, EMBEDDING_MODEL: 'first' },
    ...{ BOOTSTRAP_TOKEN: 'operator-token-of-the-drills', LOG_LEVEL: 'warn' },
  })

before(async () => {
  database = await migratedDatabase()
  provider = await startScriptedProvider()
})
after(async () => {
  await server?.kill('SIGKILL')
  await provider.close()
  await database.drop()
})

test('golden questions are asked again after the server was killed, and then the index is swapped in', async () => {
  server = await start()
  const id = await makeBase(server.api)
  const [file] = await addTexts(server.api, id, { 'leave.md': 'Everybody has twenty days of leave.' })
  await dataOf(
    server.api.post(`knowledge/${id}/golden/create`, { question: 'days of leave?', file_ids: [file] }),
  )
  let asked = 0
  provider.decide(({ model, inputs }) => {
    if (model !== 'second' || inputs[0] !== 'days of leave?') return undefined
    asked += 1
    return asked === 1 ? { slowMilliseconds: 600_000 } : undefined
  })
  await dataOf(server.api.post(`knowledge/${id}/update`, { embedding: { model: 'second' } }))
  await until('the question is asked', async () => asked === 1)
  const during = await dataOf(server.api.get(`knowledge/${id}`))
  assert.equal(during.golden_check.status, 'running')
  await server.kill('SIGKILL')
  server = await start()
  const done = await whenIngested(server.api, id)
  assert.deepEqual(
    [done.embedding, done.reindexing, done.golden_check, asked],
    [{ model: 'second' }, null, null, 2],
  )
  const { items } = await dataOf(server.api.get(`knowledge/${id}/golden/runs`))
  assert.deepEqual(
    items.map((run: { reason: string; status: string }) => [run.reason, run.status]),
    [['index', 'passed']],
  )
})
