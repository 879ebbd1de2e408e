import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { dataOf } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { echoGraph } from '../support/run-graphs.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { until } from '../support/watch.ts'

let database: FreshDatabase
let model: ScriptedModel
let server: ServerProcess

const start = (): Promise<ServerProcess> =>
  spawnServer(database, {
    ...model.environment,
    BOOTSTRAP_TOKEN: 'operator-token-of-the-drills',
    LOG_LEVEL: 'warn',
  })

before(async () => {
  database = await migratedDatabase()
  model = await startScriptedModel()
})
after(async () => {
  await server?.kill('SIGKILL')
  await model.stop()
  await database.drop()
})

test('a test run continues after the server was killed, and no case runs twice', async () => {
  server = await start()
  await dataOf(server.api.post('workflow/update', { id: 'wf', workflow: echoGraph() }))
  const { id } = await dataOf(server.api.post('test/create', { name: 'Set', workflow_id: 'wf' }))
  for (let at = 0; at < 6; at++)
    await dataOf(
      server.api.post('test/saveCase', {
        ...{ id, name: `case ${at}`, inputs: { query: `q${at}` } },
        checks: [{ type: 'contains', value: `q${at}` }],
      }),
    )
  const held = Promise.withResolvers<void>()
  model.play(() => ({ beforePiece: () => held.promise }))
  const run = await dataOf(server.api.post('test/run', { id, against: ['draft'] }))
  await until('cases run', async () => (await dataOf(server.api.get('workflow/runs?id=wf'))).total >= 4)
  await server.kill('SIGKILL')
  held.resolve()
  server = await start()
  const ended = await until('the test run ends', async () => {
    const data = await dataOf(server.api.post('test/results', { id: run.id }))
    return data.run.status === 'finished' && data
  })
  assert.equal(ended.run.passed, 6)
  assert.equal((await dataOf(server.api.get('workflow/runs?id=wf'))).total, 6)
})
