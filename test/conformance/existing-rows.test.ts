import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { migrate } from '../../src/adapters/sql/migrate.ts'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import type { Database } from '../../src/database/database.ts'
import { KnowledgeStore } from '../../src/knowledge/knowledge-store.ts'
import { UsageStore } from '../../src/workflow/run/store/usage-store.ts'
import { WorkflowStore } from '../../src/workflow/workflow-store.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'

const migrations = join(import.meta.dirname, '../../migrations')
const page = { page: 1, pageSize: 10 }

/** Rows of the version before counts and the keyword index were kept. */
const rows = [
  `INSERT INTO workflows (workspace_id, id, name, search, version, node_count, created_at, updated_at)
   VALUES ('w', 'wf_1', '客服', '客服', 1, 0, 1, 1), ('w', 'wf_2', 'Sales', 'sales', 1, 0, 1, 1)`,
  `INSERT INTO knowledge_bases (workspace_id, id, name, search, description, chunking, retrieval, metadata, generation_id,
     created_at, updated_at, deleted_at)
   VALUES ('w', 'k', 'Manual', 'manual', '', '{}', '{}', '{}', 'g', 1, 1, NULL),
     ('w', 'gone', 'Manual 2', 'manual 2', '', '{}', '{}', '{}', 'g2', 1, 1, 5)`,
  `INSERT INTO generations (workspace_id, id, knowledge_id, chunking, revision, gone) VALUES ('w', 'g', 'k', '{}', 0, 0)`,
  ...['ready', 'ready', 'failed', 'queued', 'embedding'].map(
    (
      status,
      index,
    ) => `INSERT INTO readings (workspace_id, generation_id, file_id, knowledge_id, status, progress,
       chunk_count, attempts, retries, interruptions, priority, updated_at)
     VALUES ('w', 'g', 'f${index}', 'k', '${status}', 0, ${status === 'ready' ? 3 : 0}, 0, 0, 0, 0, 1)`,
  ),
  `INSERT INTO documents (workspace_id, knowledge_id, file_id, name, search, mime_type, size, metadata, created_at)
   VALUES ('w', 'k', 'f1', 'a', 'a', 'text/plain', 5000000, '{}', 1),
     ('w', 'k', 'f2', 'b', 'b', 'audio/mpeg', 1000, '{}', 1), ('w', 'k', 'f3', 'c', 'c', 'text/plain', 1000, '{}', 1)`,
  ...[1, 30, 59, 60].map(
    day => `INSERT INTO usage_days VALUES ('w', ${day}, 'a', 'x', 0, 2, 1, 10, 20, 30),
       ('w', ${day}, 'a', 'y', 0, 1, 0, 10, 20, 30)`,
  ),
]

describe('rows that exist before migration 0018', () => {
  let fresh: FreshDatabase
  let database: Database
  before(async () => {
    fresh = await freshDatabase()
    const dialect = fresh.url ? 'postgres' : 'sqlite'
    const earlier = join(fresh.folder, 'earlier', dialect)
    mkdirSync(earlier, { recursive: true })
    for (const name of readdirSync(join(migrations, dialect)).filter(each => each < '0018'))
      cpSync(join(migrations, dialect, name), join(earlier, name))
    database = await openDatabase({ ...fresh, migrations: pathToFileURL(join(fresh.folder, 'earlier/')) })
    await database.transaction(async transaction => {
      for (const row of rows) await transaction.run(row)
    })
    await migrate(database)
  })
  after(async () => {
    await database.close()
    await fresh.drop()
  })

  test('are found by keyword', async () => {
    const found = await new WorkflowStore(database).list('w', '客', page)
    assert.deepEqual([found.total, found.items[0]?.id], [1, 'wf_1'])
    assert.equal((await new WorkflowStore(database).list('w', 'sales', page)).total, 1)
    const bases = await new KnowledgeStore(database).list('w', { keyword: 'manual', ids: undefined }, page)
    assert.deepEqual([bases.total, bases.items[0]?.id], [1, 'k'])
  })

  test('are slow if the document is, also those that may be queued again later', async () => {
    const slow = await database.all<{ file_id: string }>(
      'SELECT file_id FROM readings WHERE slow = 1 ORDER BY file_id',
    )
    assert.deepEqual(
      slow.map(row => row.file_id),
      ['f1', 'f2'],
    )
  })

  test('are counted in their knowledge base, also when they change', async () => {
    const counts = async () => {
      const { items } = await new KnowledgeStore(database).list('w', { keyword: '', ids: undefined }, page)
      return items[0]!.counts
    }
    assert.deepEqual(await counts(), { documents: 5, failed: 1, open: 2, chunks: 6, reindexing: undefined })
    await database.transaction(async transaction => {
      await transaction.run("UPDATE readings SET status = 'ready', chunk_count = 4 WHERE file_id = 'f3'")
      await transaction.run("UPDATE readings SET status = 'queued' WHERE file_id = 'f2'")
      await transaction.run("DELETE FROM readings WHERE file_id IN ('f0', 'f4')")
    })
    assert.deepEqual(await counts(), { documents: 3, failed: 0, open: 1, chunks: 7, reindexing: undefined })
  })

  test('count as usage', async () => {
    const usage = new UsageStore(database)
    const range = { fromDay: 0, toDay: 89 }
    const counts = { promptTokens: 40, completionTokens: 80, cost: 0, activeMilliseconds: 120 }
    assert.deepEqual(await usage.byWorkflow('w', range), [
      { workflowId: 'x', runs: 8, failures: 4, ...counts },
      { workflowId: 'y', runs: 4, failures: 0, ...counts },
    ])
    assert.equal((await usage.byAgent('w', range))[0]?.runs, 12)
    assert.deepEqual(
      (await usage.days('w', range)).map(({ day, runs }) => [day, runs]),
      [1, 30, 59, 60].map(day => [day, 3]),
    )
  })
})
