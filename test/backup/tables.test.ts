import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { archivedTables, clusterTables, transientTables, workspaceTables } from '../../src/database/tables.ts'
import { openTestDatabase } from '../support/open-test-database.ts'

test('every table is either backed up or listed as excluded', async () => {
  const { database, cleanup } = await openTestDatabase()
  try {
    const sql =
      database.dialect === 'sqlite'
        ? "SELECT name FROM pragma_table_list WHERE type IN ('table', 'virtual') AND name NOT LIKE 'sqlite_%'"
        : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()'
    const live = (await database.all<{ name: string }>(sql)).map(table => table.name).sort()
    assert.deepEqual(
      [
        ...[...archivedTables, ...transientTables],
        ...(database.dialect === 'postgres' ? clusterTables : []),
      ].sort(),
      live,
      'a table must be listed in src/database/tables.ts',
    )
    const lead =
      database.dialect === 'sqlite'
        ? 'SELECT name FROM pragma_table_info(?)'
        : 'SELECT column_name AS name FROM information_schema.columns WHERE table_name = ?'
    const ofWorkspaces: string[] = []
    for (const table of live)
      if ((await database.all<{ name: string }>(lead, table)).some(column => column.name === 'workspace_id'))
        ofWorkspaces.push(table)
    assert.deepEqual([...workspaceTables].sort(), ofWorkspaces, 'deleting a workspace must delete these rows')
  } finally {
    await cleanup()
  }
})

test('migrations have the same numbers in all dialects, so that archives are compatible', async () => {
  const numbers = async (dialect: string) =>
    (await readdir(new URL(`../../migrations/${dialect}/`, import.meta.url))).map(name => name.split('_')[0])
  assert.deepEqual(await numbers('postgres'), await numbers('sqlite'))
})
