import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import { makeScan } from '../support/documents/make-scan.ts'
import { dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { polls } from '../support/polls.ts'
import { startScriptedModel } from '../support/scripted-model.ts'
import { spawnServer } from '../support/server-process.ts'

type Counted = { count: number | bigint | string }

test('kill -9 during a scan: recognised pages are not sent to the model again', {
  timeout: 300_000,
}, async () => {
  const model = await startScriptedModel()
  const database = await migratedDatabase()
  const environment = {
    ...model.environment,
    OCR_MODEL: 'eyes',
    BOOTSTRAP_TOKEN: 'operator-token-of-the-drills',
    LOG_LEVEL: 'warn',
  }
  const pages = 8
  const answered = 5
  try {
    let server = await spawnServer(database, environment)
    const arrived = Promise.withResolvers<void>()
    // The others get no answer before the crash.
    model.play((_, count) => {
      if (count > answered) arrived.resolve()
      return count > answered ? { hang: true } : { text: `Page text number ${count}.` }
    })
    const base = await makeBase(server.api, { embedding: null })
    const scan = await makeScan(Array.from({ length: pages }, (_, index) => index + 40))
    const file = (await dataOf(server.api.upload('scan.pdf', scan, ''))).file_id
    await dataOf(server.api.post(`knowledge/${base}`, { file_ids: [file] }))
    await arrived.promise
    const connection = await openDatabase(database)
    for await (const _ of polls(120)) {
      const { count } = (await connection.get('SELECT COUNT(*) AS count FROM recognised_texts')) as Counted
      if (Number(count) === answered) break
    }
    await connection.close()
    assert.equal(await server.kill('SIGKILL'), 'SIGKILL')

    model.reset()
    model.play((_, count) => ({ text: `Page text after the crash ${count}.` }))
    server = await spawnServer(database, environment)
    await whenIngested(server.api, base)
    const document = (await dataOf(server.api.get(`knowledge/${base}/files`))).items[0]
    assert.equal(document.status, 'ready', JSON.stringify(document.error))
    assert.deepEqual(document.recognition, { pages_done: pages, pages_total: pages })
    assert.equal(model.calls.chat.length, pages - answered)
    assert.equal(await server.kill('SIGTERM'), 0)
  } finally {
    await database.drop()
    await model.stop()
  }
})
