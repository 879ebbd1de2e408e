import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { migratedDatabase } from '../support/migrated-database.ts'
import { spawnServer } from '../support/server-process.ts'
import { runBanyan } from './run-banyan.ts'

test('the command line logs its changes, and exports the audit log', async t => {
  const database = await migratedDatabase()
  t.after(() => database.drop())
  // The first start creates the database and the workspace of the operator.
  await (await spawnServer(database)).kill('SIGTERM')
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await runBanyan(database, [...words, '--json'])
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const workspace = (await run('workspace', 'create', 'Team')).id
  const token = await run('token', 'create', '--name', 'Robot', '--role', 'editor', '--workspace', workspace)
  await run('token', 'delete', token.id, '--workspace', workspace)
  const file = join(database.folder, 'audit.jsonl')
  assert.equal((await run('audit', 'export', file, '--workspace', workspace)).entries, 2)
  const text = readFileSync(file, 'utf8')
  assert.ok(!text.includes(token.token))
  const entries = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.deepEqual(
    entries.map(({ operation, object_id, actor_name }) => [operation, object_id, actor_name]),
    [
      ['token.delete', token.id, 'command line'],
      ['token.create', token.id, 'command line'],
    ],
  )
  assert.equal((await run('audit', 'export', file)).entries, 1)
  assert.equal((await run('audit', 'export', file, '--to', '2020-01-01')).entries, 0)
  const { code, stderr } = await runBanyan(database, ['audit', 'export', file, '--from', 'yesterday'])
  assert.deepEqual([code, stderr.startsWith('--from: must be a time')], [2, true])
})
