import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'
import { spawnServer } from '../support/server-process.ts'
import { startTestServer } from '../support/test-server.ts'
import { ask, documentOf, documentsOf, namesFound, until } from '../support/watch.ts'

type Data = ApiAnswer['json']

const tea = '# Tea\n\nThe kettle is in the kitchen. Oolong stands on the shelf.'

/** Each test gets its own server, so that circuit breaker state does not leak between tests. */
async function withProvider(
  run: (api: ApiClient, provider: ScriptedProvider) => Promise<void>,
  more: (provider: ScriptedProvider) => Record<string, string> = () => ({}),
): Promise<void> {
  const provider = await startScriptedProvider()
  const server = await startTestServer({
    EMBEDDING_BASE_URL: provider.baseUrl,
    EMBEDDING_MODEL: 'scripted',
    ...more(provider),
  })
  try {
    await run(server.api, provider)
  } finally {
    await server.stop()
    await provider.close()
  }
}

const addText = async (api: ApiClient, id: string, name: string, content: string): Promise<string> =>
  (await dataOf(api.post(`knowledge/${id}`, { texts: [{ name, content }] }))).items[0].file_id

test('keeps a document queued with the error while the provider is down and retries it automatically', async () => {
  await withProvider(async (api, provider) => {
    const id = await makeBase(api)
    await addTexts(api, id, { 'tea.md': tea })
    provider.decide(() => 'drop')
    const file = await addText(api, id, 'late.txt', 'Ginkgo leaves turn yellow.')
    const waiting = await until('the document is queued with an error', async () => {
      const document = await documentOf(api, id, file)
      return document.error ? document : undefined
    })
    assert.deepEqual(
      [waiting.status, waiting.error.code, waiting.error.retryable, waiting.attempts],
      ['queued', 'embedding_failed', true, 1],
    )
    assert.match(waiting.error.message, /EMBEDDING_BASE_URL/)
    assert.equal((await dataOf(api.get(`knowledge/${id}`))).status, 'indexing')
    await until('another attempt', async () => (await documentOf(api, id, file)).attempts >= 2)
    assert.deepEqual(await namesFound(api, id, 'ginkgo', { mode: 'keyword' }), [])
    // A queued document is retried automatically, so rebind accepts none.
    assert.deepEqual(await dataOf(api.post(`knowledge/${id}/rebind`)), { accepted: [], skipped: [] })
    provider.decide(() => undefined)
    await whenIngested(api, id)
    const document = await documentOf(api, id, file)
    assert.deepEqual([document.status, document.error], ['ready', null])
    assert.ok(document.attempts >= 2)
    assert.equal((await namesFound(api, id, 'ginkgo leaves'))[0], 'late.txt')
  })
})

test('fails immediately on a permanent error and ingests the document after a rebind', async () => {
  await withProvider(async (api, provider) => {
    const id = await makeBase(api)
    provider.decide(() => ({ status: 401, message: 'bad key' }))
    const file = await addText(api, id, 'tea.md', tea)
    await whenIngested(api, id)
    const { status, error, attempts } = await documentOf(api, id, file)
    assert.deepEqual([status, error.code, error.retryable, attempts], ['failed', 'embedding_failed', true, 1])
    assert.match(error.message, /EMBEDDING_API_KEY/)
    assert.equal(provider.calls.length, 1)
    provider.decide(() => undefined)
    assert.deepEqual(await dataOf(api.post(`knowledge/${id}/rebind`)), { accepted: [file], skipped: [] })
    await whenIngested(api, id)
    assert.equal((await documentOf(api, id, file)).status, 'ready')
    assert.deepEqual(await namesFound(api, id, 'oolong'), ['tea.md'])
  })
})

test('falls back to keyword search with a warning and fails semantic search while the provider is down', async () => {
  await withProvider(async (api, provider) => {
    const id = await makeBase(api)
    await addTexts(api, id, { 'tea.md': tea })
    provider.decide(() => ({ status: 500 }))
    const hybrid = await ask(api, id, 'kettle')
    assert.deepEqual([hybrid.mode, hybrid.items[0].file_name], ['keyword', 'tea.md'])
    assert.match(hybrid.warning, /^Keyword search only: .*500/)
    const semantic = await api.post(`knowledge/${id}/search`, { query: 'kettle', mode: 'semantic' })
    assert.deepEqual([semantic.status, semantic.json.code], [502, 50201])
    assert.match(semantic.json.message, /Embedding model/)
    assert.equal((await ask(api, id, 'kettle', { mode: 'keyword' })).warning, undefined)
    // The setting of the base must not fail the turns of its agents.
    await dataOf(api.post(`knowledge/${id}/update`, { retrieval: { mode: 'semantic' } }))
    const byDefault = await ask(api, id, 'kettle')
    assert.deepEqual([byDefault.mode, byDefault.items[0].file_name], ['keyword', 'tea.md'])
    assert.match(byDefault.warning, /^Keyword search only: /)
  })
})

test('falls back to keyword search when embedding the query takes 30 seconds', async () => {
  await withProvider(async (api, provider) => {
    const id = await makeBase(api)
    await addTexts(api, id, { 'tea.md': tea })
    provider.decide(() => ({ slowMilliseconds: 30_000 }))
    const { mode, items, warning } = await ask(api, id, 'kettle')
    assert.deepEqual([mode, items[0].file_name], ['keyword', 'tea.md'])
    assert.match(warning, /Keyword search only/)
  })
})

test('returns 502 when the reranker fails without affecting searches that do not rerank', async () => {
  await withProvider(
    async (api, provider) => {
      const id = await makeBase(api)
      await addTexts(api, id, { 'tea.md': tea })
      provider.decide(({ route }) => (route === 'rerank' ? { status: 400, message: 'no' } : undefined))
      const failed = await api.post(`knowledge/${id}/search`, { query: 'kettle', rerank: true })
      assert.deepEqual([failed.status, failed.json.code], [502, 50201])
      assert.equal((await ask(api, id, 'kettle')).items[0].file_name, 'tea.md')
    },
    provider => ({ RERANK_BASE_URL: provider.baseUrl, RERANK_MODEL: 'scripted-rerank' }),
  )
})

test('rejects reranking when no reranker is configured', async () => {
  await withProvider(async api => {
    const id = await makeBase(api)
    const answers: [string, object, string][] = [
      [`knowledge/${id}/search`, { query: 'kettle', rerank: true }, '/rerank'],
      [`knowledge/${id}/update`, { retrieval: { rerank: true } }, '/retrieval/rerank'],
      ['knowledge/create', { name: 'Ranked', retrieval: { rerank: true } }, '/retrieval/rerank'],
    ]
    for (const [path, body, pointer] of answers) {
      const { status, json } = await api.post(path, body)
      assert.deepEqual([status, json.code, json.data.errors[0].path], [400, 40001, pointer], path)
      assert.match(json.data.errors[0].message, /RERANK_BASE_URL/)
    }
  })
})

/** Runs a server process, always stops it and returns its output. */
async function withProcess(
  database: FreshDatabase,
  settings: Record<string, string>,
  run: (api: ApiClient) => Promise<void>,
): Promise<string> {
  const token = { BOOTSTRAP_TOKEN: 'operator-token-of-the-drills' }
  const server = await spawnServer(database, { ...token, LOG_LEVEL: 'trace', ...settings })
  try {
    await run(server.api)
    assert.equal(await server.kill('SIGTERM'), 0)
  } finally {
    await server.kill('SIGKILL')
  }
  return server.output()
}

describe('embedding settings', () => {
  const key = 'secretly-9f8e7d6c5b4a'
  let database: FreshDatabase
  let provider: ScriptedProvider
  let base: string
  before(async () => {
    database = await migratedDatabase()
    provider = await startScriptedProvider()
  })
  after(async () => {
    await provider.close()
    await database.drop()
  })

  test('sends the API key to the provider and never to responses or logs', async () => {
    const settings = {
      EMBEDDING_BASE_URL: provider.baseUrl,
      EMBEDDING_MODEL: 'scripted',
      EMBEDDING_API_KEY: key,
    }
    const shown: string[] = []
    const output = await withProcess(database, settings, async api => {
      const keep = async (answer: Promise<ApiAnswer>): Promise<Data> => {
        const { text, json } = await answer
        shown.push(text)
        return json?.data
      }
      base = (await keep(api.post('knowledge/create', { name: 'Keyed' }))).knowledge_id
      const search = `knowledge/${base}/search`
      // Some providers echo the key in their error messages.
      const repeat = (authorization: string | undefined): string =>
        `Your key ${key} (${authorization}) is odd`
      provider.decide(({ headers }) => ({ status: 400, message: repeat(headers.authorization) }))
      await addText(api, base, 'tea.md', tea)
      await whenIngested(api, base)
      await keep(api.get(`knowledge/${base}/files`))
      await keep(api.post(search, { query: 'kettle' }))
      await keep(api.post(search, { query: 'kettle', mode: 'semantic' }))
      provider.decide(() => ({ status: 401, message: `Incorrect API key provided: ${key}` }))
      await keep(api.post(`knowledge/${base}/rebind`))
      await whenIngested(api, base)
      await keep(api.get(`knowledge/${base}/files`))
      await keep(api.get('/metrics'))
    })
    assert.ok(provider.calls.length > 3)
    assert.ok(provider.calls.every(call => call.headers.authorization === `Bearer ${key}`))
    assert.match(shown.join('\n'), /embedding_failed/)
    assert.match(output, /A document failed/)
    for (const text of [...shown, output]) assert.ok(!text.includes(key), text)
  })

  test('falls back to keyword search and fails documents when the settings are removed', async () => {
    await withProcess(database, {}, async api => {
      assert.deepEqual((await dataOf(api.post(`knowledge/${base}/rebind`))).skipped, [])
      await whenIngested(api, base)
      assert.match((await ask(api, base, 'kettle')).warning, /EMBEDDING_BASE_URL/)
      const semantic = await api.post(`knowledge/${base}/search`, { query: 'kettle', mode: 'semantic' })
      assert.equal(semantic.json.code, 50201)
      const [{ status, error }] = await documentsOf(api, base)
      assert.match(error.message, /EMBEDDING_BASE_URL/)
      assert.deepEqual([status, error.code, error.retryable], ['failed', 'embedding_not_configured', true])
    })
  })
})
