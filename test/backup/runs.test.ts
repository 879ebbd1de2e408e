import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import type { Row } from '../../src/backup/table-archive.ts'
import { TableArchive } from '../../src/backup/table-archive.ts'
import type { Database } from '../../src/database/database.ts'
import { patch, RunWorld, step } from '../conformance/run-world.ts'
import { openTestDatabase } from '../support/open-test-database.ts'
import { freshSqlite } from './place.ts'

const statuses = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'stopped'] as const
const range = { fromDay: 0, toDay: 9 }

async function copy(from: Database, to: Database): Promise<void> {
  const tables: Record<string, Row[]> = {}
  const source = new TableArchive(from)
  await source.snapshot(async snapshot => {
    for (const table of source.tables) {
      const rows: Row[] = []
      for await (const row of snapshot.rows(table)) rows.push(row)
      tables[table] = rows
    }
  })
  await new TableArchive(to).replace(
    async function* (table) {
      yield* tables[table] ?? []
    },
    { overwrite: true },
  )
}

/** Everything that the store has of a run. */
const stored = async ({ runs }: RunWorld, id: string) => ({
  run: await runs.find('w', id),
  steps: await runs.steps('w', id),
  effects: await runs.effects('w', id),
  events: await runs.events('w', id, 0, 100),
})

test('restores runs unchanged, and active ones are claimed again', async () => {
  const { database, cleanup } = await openTestDatabase()
  const fresh = await freshSqlite()
  const sqlite = await openDatabase(fresh)
  try {
    const source = new RunWorld(database)
    for (const status of statuses) await source.beginAndBe(status, status, { graph: '{"大":"\\u0000"}' })
    const before = await Promise.all(statuses.map(id => stored(source, id)))
    const usage = await source.usage.days('w', range)
    assert.equal(usage[0]?.runs, 3)

    const target = new RunWorld(sqlite)
    await copy(database, sqlite)
    // And back, so that both directions are covered where the two databases differ.
    await copy(sqlite, database)
    for (const world of [target, source]) {
      assert.deepEqual(await Promise.all(statuses.map(id => stored(world, id))), before)
      assert.deepEqual(await world.usage.days('w', range), usage)
      const taken = []
      for (let turn = 0; turn < 3; turn++)
        taken.push((await world.claim({ lease: `l${turn}`, now: 9000, until: 10_000 }))?.id)
      assert.deepEqual(taken, ['queued', 'running', undefined])
      const hold = { workspaceId: 'w', runId: 'running', lease: 'l1' }
      await world.write(hold, { steps: [step('c')], run: patch('succeeded') })
      assert.deepEqual(
        (await world.runs.steps('w', 'running')).map(({ path }) => path),
        ['a', 'b', 'c'],
      )
    }
  } finally {
    await sqlite.close()
    await fresh.drop()
    await cleanup()
  }
})
