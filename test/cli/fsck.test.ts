import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import type { ApiClient } from '../support/api-client.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { commandRunner } from './run-banyan.ts'

interface Report {
  name: string
  problems: number
  left?: number
  examples: { workspace_id: string; message: string }[]
}

describe('fsck', () => {
  let fresh: FreshDatabase
  let provider: ScriptedProvider
  let server: TestServer
  let api: ApiClient
  let base: string
  before(async () => {
    fresh = await migratedDatabase()
    provider = await startScriptedProvider()
    const embedding = { EMBEDDING_BASE_URL: provider.baseUrl, EMBEDDING_MODEL: 'scripted' }
    server = await startTestServer({ DEMO: 'off', ...embedding }, fresh)
    api = server.api
    base = await makeBase(api)
    const texts = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`${at}.txt`, `oolong tea number ${at}`]),
    )
    const ids = await addTexts(api, base, texts)
    const [chunk] = (await dataOf(api.get(`knowledge/${base}/files/${ids[0]}/chunks`))).items
    await dataOf(
      api.post(`knowledge/${base}/files/${ids[0]}/chunks/${chunk.chunk_id}/update`, {
        content: 'corrected tea',
      }),
    )
    await dataOf(api.post('workflow/update', { id: 'w', workflow: { nodes: [], edges: [] } }))
    await dataOf(api.post('agent/create', { name: 'Tea' }))
  })
  after(async () => {
    await server.stop()
    await provider.close()
    await fresh.drop()
  })

  const command = commandRunner()
  const fsck = async (...words: string[]) => {
    const { code, stdout, stderr } = await command(fresh, ['fsck', '--json', ...words])
    const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Report[] }
    assert.equal(code, ok ? 0 : 1, stderr)
    return { ok, found: checks.filter(check => check.problems > 0) }
  }
  const names = (found: Report[]): string[] => found.map(check => check.name).sort()

  /** Changes the stored data as no operation does. */
  const damage = async (...statements: string[]): Promise<void> => {
    const database = await openDatabase(fresh)
    await database.transaction(async transaction => {
      for (const statement of statements) assert.ok((await transaction.run(statement)) > 0, statement)
    })
    await database.close()
  }
  const searched = async (query: string): Promise<number> =>
    (await dataOf(api.post(`knowledge/${base}/search`, { query, mode: 'keyword', top_k: 50 }))).items.length

  test('reports no problem in consistent data', async () => {
    // A generation is deleted before its batches are swept.
    await damage("INSERT INTO batches VALUES ('default', 'batch_gone', 'gen_gone', 'file', 'gone', 0, 0, 0)")
    assert.deepEqual(await fsck(), { ok: true, found: [] })
  })

  test('finds dangling references, wrong counters and lost contents, and repairs what it can', async () => {
    await damage(
      "INSERT INTO run_events VALUES ('default', 'run_lost', 1, 1, '')",
      "INSERT INTO feedback VALUES ('default', 'conv_lost', 'm', 'like', '', 1)",
      "INSERT INTO segment_blocks VALUES ('default', 'seg_lost', 0, '')",
      "UPDATE workspace_usage SET documents = documents + 5 WHERE workspace_id = 'default'",
      "INSERT INTO kept_versions VALUES ('ws_lost', 'w', 1, 1, '{}')",
      "UPDATE workflows SET version = 7 WHERE id = 'w'",
    )
    const file = await dataOf(api.upload('lost.txt', 'a content to lose'))
    const folder = join(fresh.folder, 'files')
    const stored = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(entry =>
      entry.isFile(),
    )
    const { key } = (await (async () => {
      const database = await openDatabase(fresh)
      const row = await database.get<{ key: string }>('SELECT key FROM blobs WHERE sha256 = ?', file.sha256)
      await database.close()
      return row
    })())!
    const lost = stored.find(entry => key.endsWith(entry.name) || entry.name.endsWith(key))!
    rmSync(join(lost.parentPath, lost.name))
    const expected = [
      'contents of files',
      'feedback without conversations',
      'rows without workspaces',
      'run_events without runs',
      'segment_blocks without segments',
      'usage of workspaces',
      'workflows without workflow_versions',
    ]
    const { ok, found } = await fsck()
    assert.equal(ok, false)
    assert.deepEqual(names(found), expected)
    assert.match(JSON.stringify(found), /run_lost has no row in runs/)
    const repaired = await fsck('--repair')
    assert.equal(repaired.ok, false)
    assert.deepEqual(
      names(repaired.found.filter(check => (check.left ?? check.problems) > 0)),
      ['contents of files', 'workflows without workflow_versions'],
      'what only a backup can bring back stays',
    )
    await dataOf(api.upload('again.txt', 'a content to lose'))
    await damage("UPDATE workflows SET version = 1 WHERE id = 'w'")
    assert.deepEqual(await fsck(), { ok: true, found: [] })
    assert.equal((await dataOf(api.get('usage'))).quotas.documents.used, 20)
  })

  test('builds a keyword index again from the chunks', async () => {
    assert.equal(await searched('oolong'), 19)
    await damage("DELETE FROM segments WHERE state = 'live'", 'DELETE FROM segment_blocks')
    const { found } = await fsck('--repair')
    assert.deepEqual(names(found), ['keyword index'])
    assert.equal(found[0]!.left, 0)
    assert.equal(await searched('oolong'), 19)
    assert.equal(await searched('corrected'), 1)
    await damage(
      'DELETE FROM segment_blocks WHERE ordinal = 0 AND segment_id = (SELECT MIN(segment_id) FROM segment_blocks)',
    )
    assert.deepEqual(names((await fsck('--repair')).found), ['keyword index'])
    assert.equal(await searched('oolong'), 19)
  })

  test('processes documents again whose chunks or vectors are incomplete', async () => {
    await damage('DELETE FROM vectors WHERE position = 0 AND batch_id = (SELECT MIN(batch_id) FROM vectors)')
    const vectors = await fsck('--repair')
    assert.deepEqual(names(vectors.found), ['vectors of chunks'])
    await whenIngested(api, base)
    assert.deepEqual(await fsck(), { ok: true, found: [] })
  })
})
