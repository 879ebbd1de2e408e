import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { ask, countRows, documentsOf, namesFound, until } from '../support/watch.ts'

type Data = ApiAnswer['json']

const names = Array.from({ length: 8 }, (_, at) => `trees ${at}.txt`)
/** Fits one chunk at size 512 and several at size 100. */
const content = (name: string): string =>
  Array.from({ length: 12 }, (_, at) => `Line ${at} of ${name} tells of banyan trees and their roots.`).join(
    '\n\n',
  )
const texts = Object.fromEntries(names.map(name => [name, content(name)]))
const isWhole = (item: Data): boolean => item.content.includes('Line 0 ') && item.content.includes('Line 11 ')

describe('re-indexing a base', () => {
  let provider: ScriptedProvider
  let server: TestServer
  let api: ApiClient
  before(async () => {
    provider = await startScriptedProvider()
    server = await startTestServer({ EMBEDDING_BASE_URL: provider.baseUrl, EMBEDDING_MODEL: 'first' })
    api = server.api
  })
  after(async () => {
    await server.stop()
    await provider.close()
  })

  const record = (id: string): Promise<Data> => dataOf(api.get(`knowledge/${id}`))
  const update = (id: string, body: object): Promise<Data> => dataOf(api.post(`knowledge/${id}/update`, body))

  test('serves every search from a single complete index', async t => {
    const id = await makeBase(api)
    await addTexts(api, id, texts)
    // Documents wait, queries do not.
    const released = Promise.withResolvers<void>()
    t.after(() => released.resolve())
    provider.decide(({ model, inputs }) =>
      model === 'second' && inputs[0] !== 'banyan roots' ? { until: released.promise } : undefined,
    )
    await update(id, { chunking: { size: 100, overlap: 0 }, embedding: { model: 'second' } })
    const seen = new Set<boolean>()
    let isDone = false
    t.after(() => {
      isDone = true
    })
    const searching = ['keyword', 'hybrid', 'semantic'].map(async mode => {
      for (let isLast = false; !isLast; ) {
        isLast = isDone
        const { items, warning } = await ask(api, id, 'banyan roots', { mode, top_k: 50 })
        assert.equal(warning, undefined)
        const files = new Set(
          items.map((item: Data) => item.file_name).filter((name: string) => names.includes(name)),
        )
        const kinds = new Set<boolean>(items.map(isWhole))
        assert.ok(items.length > 0, `${mode}: no results`)
        assert.equal(kinds.size, 1, `${mode}: passages of two indexes in one response`)
        if (kinds.has(true)) assert.equal(files.size, names.length, `${mode}: documents are missing`)
        for (const kind of kinds) seen.add(kind)
      }
    })
    // A document added meanwhile is found in the old index first and in the new one afterwards.
    const late = content('late.txt')
    await dataOf(api.post(`knowledge/${id}`, { texts: [{ name: 'late.txt', content: late }] }))
    await until('the late document', async () =>
      (await namesFound(api, id, 'late', { mode: 'keyword' })).includes('late.txt'),
    )
    const during = await record(id)
    assert.equal(during.status, 'indexing')
    assert.deepEqual([during.reindexing.total, during.reindexing.failed], [names.length + 1, 0])
    released.resolve()
    const done = await whenIngested(api, id)
    isDone = true
    await Promise.all(searching)
    assert.deepEqual(seen, new Set([true, false]))
    assert.deepEqual([done.reindexing, done.document_count, done.failed_count], [null, names.length + 1, 0])
    for (const name of [...names, 'late.txt'])
      assert.equal((await namesFound(api, id, `"${name}"`, { mode: 'keyword' }))[0], name)
    const { items } = await ask(api, id, 'late', { mode: 'keyword' })
    assert.ok(!items.some(isWhole), 'the late document was not chunked again')
  })

  test('returns results for a query that is embedded during the swap', async () => {
    const id = await makeBase(api)
    await addTexts(api, id, texts)
    provider.decide(({ inputs }) =>
      inputs[0] === 'slowly: banyan roots' ? { slowMilliseconds: 5000 } : undefined,
    )
    const pending = ask(api, id, 'slowly: banyan roots')
    await until('the query is sent to the provider', async () =>
      provider.calls.some(({ inputs }) => inputs[0] === 'slowly: banyan roots'),
    )
    await update(id, { chunking: { size: 100, overlap: 0 } })
    await whenIngested(api, id)
    const place = { url: server.config.databaseUrl, folder: server.config.dataDir }
    const bases = (await dataOf(api.post('knowledge'))).total
    await until(
      'the removal of the old index',
      async () => (await countRows(place, ['generations']))['generations'] === bases,
    )
    const { items } = await pending
    assert.ok(items.length > 0)
  })

  test('keeps the old index when the next one fails and reports the error', async () => {
    const id = await makeBase(api)
    await addTexts(api, id, { 'tea.txt': 'The kettle is in the kitchen.', 'sea.txt': 'The harbour freezes.' })
    provider.decide(({ model }) =>
      model === 'missing' ? { status: 404, message: 'no such model' } : undefined,
    )
    const failed = (): Promise<Data> =>
      until('the failure', async () => {
        const now = await record(id)
        return now.reindexing?.failed === 2 ? now : undefined
      })
    await update(id, { embedding: { model: 'missing' } })
    const now = await failed()
    assert.deepEqual(
      [now.reindexing, now.embedding],
      [{ total: 2, done: 0, failed: 2 }, { model: 'missing' }],
    )
    for (const { status, error } of await documentsOf(api, id)) {
      assert.deepEqual([status, error.code, error.retryable], ['ready', 'embedding_failed', true])
      assert.match(error.message, /404.*name of the model/)
    }
    assert.equal((await namesFound(api, id, 'kettle kitchen', { mode: 'semantic' }))[0], 'tea.txt')

    const back = await update(id, { embedding: { model: 'first' } })
    assert.deepEqual([back.reindexing, back.status], [null, 'ready'])
    for (const { error } of await documentsOf(api, id)) assert.equal(error, null)
    assert.equal((await namesFound(api, id, 'kettle kitchen', { mode: 'semantic' }))[0], 'tea.txt')

    await update(id, { embedding: { model: 'missing' } })
    await failed()
    provider.decide(() => undefined)
    assert.equal((await dataOf(api.post(`knowledge/${id}/rebind`))).accepted.length, 2)
    const recovered = await whenIngested(api, id)
    assert.deepEqual([recovered.reindexing, recovered.embedding], [null, { model: 'missing' }])
    await ask(api, id, 'kettle kitchen', { mode: 'semantic' })
    assert.equal(provider.calls.at(-1)?.model, 'missing')
  })

  test('completes the swap after the failed document is deleted', async () => {
    const id = await makeBase(api)
    const [, stuck] = await addTexts(api, id, {
      'tea.txt': 'The kettle boils over.',
      'stuck.txt': 'Stuck in the mud.',
    })
    provider.decide(({ model, inputs }) =>
      model === 'third' && inputs.some(text => text.includes('mud')) ? { status: 404 } : undefined,
    )
    await update(id, { embedding: { model: 'third' } })
    await until('one document done and one failed', async () => {
      const { reindexing } = await record(id)
      return reindexing?.done === 1 && reindexing.failed === 1
    })
    assert.deepEqual((await namesFound(api, id, 'mud')).includes('stuck.txt'), true)
    await dataOf(api.post(`knowledge/${id}/files/${stuck}/delete`))
    const now = await whenIngested(api, id)
    assert.deepEqual([now.reindexing, now.document_count], [null, 1])
    assert.deepEqual(await namesFound(api, id, 'kettle mud'), ['tea.txt'])
    assert.equal(provider.calls.at(-1)?.model, 'third')
  })

  test('applies the last of several changes and removes the indexes of the others', async () => {
    provider.decide(() => undefined)
    const id = await makeBase(api)
    await addTexts(api, id, texts)
    await Promise.all([
      update(id, { chunking: { size: 100, overlap: 0 } }),
      update(id, { embedding: { model: 'other' } }),
    ])
    await update(id, { chunking: { size: 150, overlap: 10 }, embedding: { model: 'last' } })
    const now = await whenIngested(api, id)
    assert.deepEqual(
      [now.chunking, now.embedding, now.reindexing],
      [{ strategy: 'auto', size: 150, overlap: 10 }, { model: 'last' }, null],
    )
    const { items } = await ask(api, id, 'banyan', { top_k: 50 })
    assert.equal(provider.calls.at(-1)?.model, 'last')
    assert.ok(items.length > names.length && !items.some(isWhole))
    const total = (await documentsOf(api, id)).reduce((sum, document) => sum + document.chunk_count, 0)
    assert.equal(now.chunk_count, total)
    const place = { url: server.config.databaseUrl, folder: server.config.dataDir }
    const bases = await dataOf(api.post('knowledge', { page_size: 100 }))
    const chunks = bases.items.reduce((sum: number, base: Data) => sum + base.chunk_count, 0)
    await until('the removal of the old indexes', async () => {
      const left = await countRows(place, ['generations', 'chunks', 'vectors'])
      return left['generations'] === bases.total && left['chunks'] === chunks && left['vectors'] === chunks
    })
  })
})
