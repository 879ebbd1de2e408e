import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { SqliteWriterThread } from '../../src/adapters/sql/sqlite-writer-thread.ts'

test('a transaction whose thread ends stores nothing, and the next one has a new thread', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'banyan-thread-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'test.db')
  const database = new DatabaseSync(path)
  t.after(() => database.close())
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE rows (id INTEGER)')
  const writer = new SqliteWriterThread(path)
  t.after(() => writer.close())
  await writer.begin()
  await writer.run('INSERT INTO rows VALUES (1)')
  await writer.close()
  // Outside of the transaction it would be stored at once.
  await assert.rejects(writer.run('INSERT INTO rows VALUES (2)'), { reason: 'unavailable' })
  await writer.begin()
  await writer.run('INSERT INTO rows VALUES (3)')
  await writer.run('COMMIT')
  assert.deepEqual({ ...database.prepare('SELECT group_concat(id) AS ids FROM rows').get() }, { ids: '3' })
})
