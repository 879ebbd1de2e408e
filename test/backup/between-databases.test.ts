import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshDatabase } from '../support/fresh-database.ts'
import { startScriptedProvider } from '../support/scripted-provider.ts'
import { everything } from './everything.ts'
import { fill } from './fill.ts'
import { fillKnowledge, modelSettings } from './fill-knowledge.ts'
import { freshSqlite, openPlace } from './place.ts'

const skip = process.env['TEST_DATABASE_URL'] ? false : 'it needs PostgreSQL: set TEST_DATABASE_URL'

test('keeps everything unchanged from SQLite to PostgreSQL and back', { skip }, async () => {
  const provider = await startScriptedProvider()
  const settings = modelSettings(provider)
  const sqlite = await openPlace(await freshSqlite(), settings)
  const postgres = await openPlace(await freshDatabase(), settings)
  const back = await openPlace(await freshSqlite(), settings)
  try {
    const filling = await sqlite.serve({ first: true, atWork: true })
    const { otherToken } = await fill(filling.api)
    await fillKnowledge(filling.api, filling.api.as(otherToken))
    await filling.stop()
    const running = await sqlite.serve()
    const mine = await everything(running.api)
    const theirs = await everything(running.api.as(otherToken))
    const there = join(sqlite.config.dataDir, 'there.tar')
    await sqlite.backup(there)
    await running.stop()

    const andBack = join(postgres.config.dataDir, 'back.tar')
    const { rows } = await postgres.restore(there)
    assert.deepEqual((await postgres.backup(andBack)).rows, rows)
    assert.deepEqual((await back.restore(andBack)).rows, rows)
    for (const place of [postgres, back]) {
      const again = await place.serve()
      assert.deepEqual(await everything(again.api), mine)
      assert.deepEqual(await everything(again.api.as(otherToken)), theirs)
      await again.stop()
    }
  } finally {
    await sqlite.drop()
    await postgres.drop()
    await back.drop()
    await provider.close()
  }
})

test('returns the same search results after moving from PostgreSQL to SQLite', { skip }, async () => {
  const provider = await startScriptedProvider()
  const settings = modelSettings(provider)
  const postgres = await openPlace(await freshDatabase(), settings)
  const sqlite = await openPlace(await freshSqlite(), settings)
  try {
    const filling = await postgres.serve({ first: true, atWork: true })
    const { otherToken } = await fill(filling.api)
    await fillKnowledge(filling.api, filling.api.as(otherToken))
    await filling.stop()
    const running = await postgres.serve()
    const mine = await everything(running.api)
    const archive = join(postgres.config.dataDir, 'there.tar')
    await postgres.backup(archive)
    await running.stop()
    await sqlite.restore(archive)
    const again = await sqlite.serve()
    assert.deepEqual(await everything(again.api), mine)
    await again.stop()
  } finally {
    await postgres.drop()
    await sqlite.drop()
    await provider.close()
  }
})
