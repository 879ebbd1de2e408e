import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Table } from '../../src/database/table.ts'
import { workspaceTables } from '../../src/database/tables.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

const root = join(import.meta.dirname, '../..')

/** Column types as SQLite and PostgreSQL name them. */
const storedTypes: Record<string, string> = {
  text: 'text',
  integer: 'integer',
  bigint: 'integer',
  int8: 'integer',
  int4: 'integer',
  real: 'real',
  float4: 'real',
  float8: 'real',
  blob: 'bytes',
  bytea: 'bytes',
  vector: 'bytes',
}

const snakeCase = (key: string): string => key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

async function describedTables(): Promise<Table<Record<string, never>>[]> {
  const files = globSync('src/**/*.ts', { cwd: root }).filter(file =>
    / = table\('/.test(readFileSync(join(root, file), 'utf8')),
  )
  const modules = await Promise.all(files.map(file => import(join(root, file)) as Promise<object>))
  return modules.flatMap(module => Object.values(module).filter(value => value instanceof Table))
}

let opened: TestDatabase
before(async () => {
  opened = await openTestDatabase()
})
after(() => opened.cleanup())

test('every table description has the columns of the migrated schema, with their types and nullability', async () => {
  const { database } = opened
  const tables = await describedTables()
  assert.deepEqual(
    tables.map(table => table.text).sort(),
    [...new Set(['workspaces', 'installation', ...workspaceTables])].sort(),
    'every table has one description',
  )
  for (const table of tables) {
    const columns = await database.all<{ name: string; type: string; required: number | boolean }>(
      database.dialect === 'sqlite'
        ? 'SELECT name, type, "notnull" AS required FROM pragma_table_info(?)'
        : `SELECT column_name AS name, udt_name AS type, is_nullable = 'NO' AS required FROM information_schema.columns
           WHERE table_schema = current_schema() AND table_name = ?`,
      table.text,
    )
    const live = columns.map(({ name, type, required }) => [
      name,
      storedTypes[type.toLowerCase()],
      Boolean(required),
    ])
    const described = Object.entries(
      table.types as Record<string, { stored: string; isOptional?: boolean }>,
    ).map(([key, type]) => [snakeCase(key), type.stored, !type.isOptional])
    assert.deepEqual(described.sort(), live.sort(), `the description of ${table.text}`)
  }
})
