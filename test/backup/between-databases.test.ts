import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshDatabase } from '../support/fresh-database.ts'
import { everything } from './everything.ts'
import { fill } from './fill.ts'
import { freshSqlite, openPlace } from './place.ts'

const skip = process.env['TEST_DATABASE_URL'] ? false : 'it needs PostgreSQL: set TEST_DATABASE_URL'

test('from SQLite to PostgreSQL and back, nothing changes', { skip }, async () => {
  const sqlite = await openPlace(await freshSqlite())
  const postgres = await openPlace(await freshDatabase())
  const back = await openPlace(await freshSqlite())
  try {
    const running = await sqlite.serve({ first: true })
    const { otherToken } = await fill(running.api)
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
  }
})
