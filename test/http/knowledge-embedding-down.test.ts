import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { addTexts, dataOf, makeBase, whenRead } from '../support/knowledge.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'
import { spawnServer } from '../support/server-process.ts'
import { startTestServer } from '../support/test-server.ts'
import { ask, documentOf, documentsOf, namesFound, until } from '../support/watch.ts'

type Data = ApiAnswer['json']

const tea = '# Tea\n\nThe kettle is in the kitchen. Oolong stands on the shelf.'

/** A server of its own for each: what a provider did to one must not be remembered in the next. */
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

test('a document waits while the provider is down, says why, and is tried again by itself', async () => {
  await withProvider(async (api, provider) => {
    const id = await makeBase(api)
    await addTexts(api, id, { 'tea.md': tea })
    provider.decide(() => 'drop')
    const file = await addText(api, id, 'late.txt', 'Ginkgo leaves turn yellow.')
    const waiting = await until('a document that waits with a reason', async () => {
      const document = await documentOf(api, id, file)
      return document.error ? document : undefined
    })
    assert.deepEqual(
      [waiting.status, waiting.error.code, waiting.error.retryable, waiting.attempts],
      ['queued', 'embedding_failed', true, 1],
    )
    assert.match(waiting.error.message, /EMBEDDING_BASE_URL/)
    assert.equal((await dataOf(api.get(`knowledge/${id}`))).status, 'indexing')
    await until('another try', async () => (await documentOf(api, id, file)).attempts >= 2)
    assert.deepEqual(await namesFound(api, id, 'ginkgo', { mode: 'keyword' }), [])
    // It has not failed for good, so that there is nothing to ask for.
    assert.deepEqual(await dataOf(api.post(`knowledge/${id}/rebind`)), { accepted: [], skipped: [] })
    provider.decide(() => undefined)
    await whenRead(api, id)
    const document = await documentOf(api, id, file)
    assert.deepEqual([document.status, document.error], ['ready', null])
    assert.ok(document.attempts >= 2)
    assert.equal((await namesFound(api, id, 'ginkgo leaves'))[0], 'late.txt')
  })
})

test('what no further try can mend fails at once, and is read when it is asked for again', async () => {
  await withProvider(async (api, provider) => {
    const id = await makeBase(api)
    provider.decide(() => ({ status: 401, message: 'bad key' }))
    const file = await addText(api, id, 'tea.md', tea)
    await whenRead(api, id)
    const { status, error, attempts } = await documentOf(api, id, file)
    assert.deepEqual([status, error.code, error.retryable, attempts], ['failed', 'embedding_failed', true, 1])
    assert.match(error.message, /EMBEDDING_API_KEY/)
    assert.equal(provider.calls.length, 1)
    provider.decide(() => undefined)
    assert.deepEqual(await dataOf(api.post(`knowledge/${id}/rebind`)), { accepted: [file], skipped: [] })
    await whenRead(api, id)
    assert.equal((await documentOf(api, id, file)).status, 'ready')
    assert.deepEqual(await namesFound(api, id, 'oolong'), ['tea.md'])
  })
})

test('while the provider is down, keywords answer with a warning, and meaning says that it cannot', async () => {
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
  })
})

test('a provider that takes half a minute for a question does not keep the keywords back', async () => {
  await withProvider(async (api, provider) => {
    const id = await makeBase(api)
    await addTexts(api, id, { 'tea.md': tea })
    provider.decide(() => ({ slowMilliseconds: 30_000 }))
    const { mode, items, warning } = await ask(api, id, 'kettle')
    assert.deepEqual([mode, items[0].file_name], ['keyword', 'tea.md'])
    assert.match(warning, /Keyword search only/)
  })
})

test('a reranker that fails is a failure of the model, and of no other search', async () => {
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

test('without a reranker, asking for one is refused', async () => {
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

/** A server as a process, with its output, ended whatever happens. */
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

describe('the settings of a model', () => {
  const key = 'secretly-9f8e7d6c5b4a'
  let database: FreshDatabase
  let provider: ScriptedProvider
  let base: string
  before(async () => {
    database = await freshDatabase()
    provider = await startScriptedProvider()
  })
  after(async () => {
    await provider.close()
    await database.drop()
  })

  test('hold a key that is sent to the provider and shown to nobody else', async () => {
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
      // Providers repeat what they were sent.
      const repeat = (authorization: string | undefined): string =>
        `Your key ${key} (${authorization}) is odd`
      provider.decide(({ headers }) => ({ status: 400, message: repeat(headers.authorization) }))
      await addText(api, base, 'tea.md', tea)
      await whenRead(api, base)
      await keep(api.get(`knowledge/${base}/files`))
      await keep(api.post(search, { query: 'kettle' }))
      await keep(api.post(search, { query: 'kettle', mode: 'semantic' }))
      provider.decide(() => ({ status: 401, message: `Incorrect API key provided: ${key}` }))
      await keep(api.post(`knowledge/${base}/rebind`))
      await whenRead(api, base)
      await keep(api.get(`knowledge/${base}/files`))
      await keep(api.get('/metrics'))
    })
    assert.ok(provider.calls.length > 3)
    assert.ok(provider.calls.every(call => call.headers.authorization === `Bearer ${key}`))
    assert.match(shown.join('\n'), /embedding_failed/)
    assert.match(output, /A document failed/)
    for (const text of [...shown, output]) assert.ok(!text.includes(key), text)
  })

  test('may be gone at the next start: documents say so, and keywords still answer', async () => {
    await withProcess(database, {}, async api => {
      assert.deepEqual((await dataOf(api.post(`knowledge/${base}/rebind`))).skipped, [])
      await whenRead(api, base)
      assert.match((await ask(api, base, 'kettle')).warning, /EMBEDDING_BASE_URL/)
      const semantic = await api.post(`knowledge/${base}/search`, { query: 'kettle', mode: 'semantic' })
      assert.equal(semantic.json.code, 50201)
      const [{ status, error }] = await documentsOf(api, base)
      assert.match(error.message, /EMBEDDING_BASE_URL/)
      assert.deepEqual([status, error.code, error.retryable], ['failed', 'embedding_not_configured', true])
    })
  })
})
