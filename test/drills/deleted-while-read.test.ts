import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { rounds } from '../support/rounds.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { ask, countRows, documentsOf, namesFound, until } from '../support/watch.ts'

type Data = ApiAnswer['json']

/** At least two: one base with and one without an embedding model. */
const deletions = rounds(1)
const tables = [
  'knowledge_bases',
  'generations',
  'documents',
  'document_values',
  'readings',
  'batches',
  'chunks',
  'segments',
  'segment_blocks',
  'vectors',
]

/** A few hundred chunks in several parts, so that a delete happens between them. */
const longText = (name: string): string =>
  Array.from(
    { length: 700 },
    (_, line) => `第${line}段：榕树的气生根落地以后成为新的树干，line ${line} of ${name}.`,
  ).join('\n\n')

interface Prepared {
  api: ApiClient
  base: string
  files: string[]
}

describe('deleting during ingestion', () => {
  let provider: ScriptedProvider
  let server: TestServer
  let workspaces = 0
  before(async () => {
    provider = await startScriptedProvider()
    server = await startTestServer({ EMBEDDING_BASE_URL: provider.baseUrl, EMBEDDING_MODEL: 'scripted' })
  })
  after(async () => {
    await server.stop()
    await provider.close()
  })

  /** Documents being ingested, left alone for a random time. */
  async function prepare(api: ApiClient, round: number): Promise<Prepared> {
    // Every other round runs without vectors, which is faster and therefore hits other moments.
    const settings = round % 2 === 0 ? {} : { embedding: null }
    const base = await makeBase(api, { ...settings, chunking: { size: 100, overlap: 0 } })
    const texts = ['one', 'two', 'three'].map(name => ({ name: `${name}.txt`, content: longText(name) }))
    const added = await dataOf(api.post(`knowledge/${base}`, { texts, metadata: { round } }))
    await sleep(Math.random() * 700)
    return { api, base, files: added.items.map((item: Data) => item.file_id) }
  }

  const ways: Record<string, (prepared: Prepared) => Promise<void>> = {
    'a document': async ({ api, base, files: [file] }) => {
      await dataOf(api.post(`knowledge/${base}/files/${file}/delete`))
      const isGone = async (): Promise<void> => {
        const { items } = await ask(api, base, '气生根', { mode: 'keyword', top_k: 50 })
        assert.ok(items.every((item: Data) => item.file_id !== file))
        assert.ok((await documentsOf(api, base)).every(document => document.file_id !== file))
      }
      await isGone()
      assert.equal((await whenIngested(api, base)).document_count, 2)
      await isGone()
      assert.deepEqual((await namesFound(api, base, 'two three', { mode: 'keyword', top_k: 50 })).sort(), [
        'three.txt',
        'two.txt',
      ])
      assert.deepEqual((await dataOf(api.post('files/delete', { file_ids: [file] }))).deleted, [file])
      await dataOf(api.post(`knowledge/${base}/delete`))
    },
    'a base': async ({ api, base, files }) => {
      await dataOf(api.post(`knowledge/${base}/delete`))
      assert.equal((await api.post(`knowledge/${base}/search`, { query: '气生根' })).json.code, 40401)
      assert.equal((await dataOf(api.post('knowledge', { knowledge_ids: [base] }))).total, 0)
      const removed = await dataOf(api.post('files/delete', { file_ids: files }))
      assert.deepEqual([removed.deleted.length, removed.in_use], [3, []])
    },
    'a file, by force,': async ({ api, base, files }) => {
      const forced = await dataOf(api.post('files/delete', { file_ids: files, force: true }))
      assert.equal(forced.deleted.length, 3)
      assert.deepEqual((await ask(api, base, '气生根', { mode: 'keyword' })).items, [])
      assert.deepEqual(await documentsOf(api, base), [])
      const record = await whenIngested(api, base)
      assert.deepEqual([record.document_count, record.chunk_count], [0, 0])
      // The same texts can be added again and are found completely.
      await dataOf(
        api.post(`knowledge/${base}`, { texts: [{ name: 'again.txt', content: 'The 气生根 again.' }] }),
      )
      await whenIngested(api, base)
      assert.deepEqual(await namesFound(api, base, '气生根', { mode: 'keyword', top_k: 50 }), ['again.txt'])
      await dataOf(api.post(`knowledge/${base}/delete`))
    },
  }

  test('deletes everything of a workspace', async () => {
    for (let round = 0; round < deletions; round++) {
      const { id, token } = await dataOf(
        server.api.post('workspace/create', { name: `Going ${workspaces++}` }),
      )
      const { api, base } = await prepare(server.api.as(token), round)
      await dataOf(server.api.post('workspace/delete', { id }))
      assert.equal((await api.get(`knowledge/${base}`)).status, 401)
    }
  })

  test('stops the ingestion of a deleted workspace', async () => {
    provider.decide(() => ({ slowMilliseconds: 200 }))
    const { id, token } = await dataOf(server.api.post('workspace/create', { name: `Going ${workspaces++}` }))
    await prepare(server.api.as(token), 0)
    const calls = provider.calls.length
    await until('it is embedding', async () => provider.calls.length > calls)
    await dataOf(server.api.post('workspace/delete', { id }))
    const sent = provider.calls.length
    await sleep(1500)
    assert.equal(provider.calls.length, sent, 'nothing is embedded any more')
    provider.decide(() => undefined)
  })

  for (const [label, remove] of Object.entries(ways))
    test(`hides ${label} immediately and permanently`, async () => {
      for (let round = 0; round < deletions; round++) await remove(await prepare(server.api, round))
    })

  test('leaves no rows behind', async () => {
    const place = { url: server.config.databaseUrl, folder: server.config.dataDir }
    let left: Record<string, number> = {}
    await until('empty tables', async () => {
      left = await countRows(place, tables)
      return Object.values(left).every(count => count === 0)
    }).catch(() => assert.fail(`rows are left: ${JSON.stringify(left)}`))
    // A worker that was ingesting has had time to commit a late part.
    await sleep(500)
    assert.ok(Object.values(await countRows(place, tables)).every(count => count === 0))
  })
})
