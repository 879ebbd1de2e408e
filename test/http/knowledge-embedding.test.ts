import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { type Fault, type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { ask, documentOf, namesFound } from '../support/watch.ts'

type Data = ApiAnswer['json']

const tea = '# Tea\n\nThe kettle is in the kitchen. Oolong stands on the shelf.'
const holidays = '# Holidays\n\nEverybody has 30 days of holiday a year.'
/** Eighty paragraphs, one chunk each: more than fit into one embedding request. */
const many = (topic: string): string =>
  Array.from(
    { length: 80 },
    (_, at) => `# ${topic} ${at}\n\n${`Number ${at} of ${topic}. `.repeat(40)}`,
  ).join('\n\n')

describe('a base with an embedding model', () => {
  let provider: ScriptedProvider
  let server: TestServer
  let api: ApiClient
  before(async () => {
    provider = await startScriptedProvider()
    server = await startTestServer({
      EMBEDDING_BASE_URL: provider.baseUrl,
      EMBEDDING_MODEL: 'scripted',
      EMBEDDING_API_KEY: 'the-embedding-key',
      RERANK_BASE_URL: provider.baseUrl,
      RERANK_MODEL: 'scripted-rerank',
      RERANK_API_KEY: 'the-rerank-key',
    })
    api = server.api
  })
  after(async () => {
    await server.stop()
    await provider.close()
  })

  /** The texts sent to the embedding provider during the given work. */
  const embeddedDuring = async (work: () => Promise<unknown>): Promise<string[]> => {
    const before = provider.calls.length
    await work()
    return provider.calls.slice(before).flatMap(call => (call.route === 'embeddings' ? call.inputs : []))
  }

  test('supports keyword, semantic and hybrid search', async () => {
    const id = await makeBase(api)
    const record = await dataOf(api.get(`knowledge/${id}`))
    assert.deepEqual([record.embedding, record.retrieval.mode], [{ model: 'scripted' }, 'hybrid'])
    await addTexts(api, id, { 'tea.md': tea, 'holidays.md': holidays })

    const hybrid = await ask(api, id, 'Where is the kettle?')
    assert.equal(hybrid.mode, 'hybrid')
    assert.equal(hybrid.warning, undefined)
    const { file_name, score, scores } = hybrid.items[0]
    assert.deepEqual([file_name, scores.rerank], ['tea.md', null])
    assert.ok(scores.keyword > 0 && scores.semantic > 0)
    const [lower, higher] = [scores.keyword, scores.semantic].sort()
    assert.ok(
      score >= (lower + higher) / 2 && score <= higher,
      `${score} is between the mean and the higher score`,
    )

    // Misspelt words that are too short to be corrected: no keyword matches, and only the vectors are close.
    const misspelt = 'ketle kichn shelb oolon'
    assert.deepEqual(await namesFound(api, id, misspelt, { mode: 'keyword' }), [])
    const semantic = await ask(api, id, misspelt, { mode: 'semantic' })
    assert.equal(semantic.mode, 'semantic')
    assert.equal(semantic.items[0].file_name, 'tea.md')
    assert.equal(semantic.items[0].scores.keyword, null)
    assert.equal((await namesFound(api, id, misspelt))[0], 'tea.md')

    const asked = await embeddedDuring(() => ask(api, id, 'kettle', { mode: 'keyword' }))
    assert.deepEqual(asked, [], 'keyword search needs no embedding')
    const explained = await ask(api, id, 'kettle', { explain: true })
    assert.deepEqual(explained.explanation.ranks[0], {
      chunk_id: explained.items[0].chunk_id,
      keyword: 1,
      semantic: 1,
    })
  })

  test('reports why a base without vectors is not searched in its configured mode', async () => {
    const id = await makeBase(api, { embedding: null, retrieval: { mode: 'semantic' } })
    await addTexts(api, id, { 'tea.md': tea })
    const { mode, warning, items } = await ask(api, id, 'kettle')
    assert.deepEqual([mode, items[0].file_name], ['keyword', 'tea.md'])
    assert.match(warning, /Keyword search only.*no embedding model/)
  })

  test('embeds each passage once with its headings', async () => {
    const id = await makeBase(api)
    const sent = await embeddedDuring(() => addTexts(api, id, { 'many.md': many('Ferns') }))
    const record = await dataOf(api.get(`knowledge/${id}`))
    assert.equal(sent.length, record.chunk_count)
    assert.ok(sent.length > 64, 'the texts exceed one request')
    const { items } = await ask(api, id, 'Ferns', { mode: 'semantic', top_k: 50 })
    const scores: number[] = items.map((item: { score: number }) => item.score)
    assert.ok(scores[0]! < 1 && scores[0]! > scores.at(-1)!, 'a score compares a passage with the others')
    assert.equal(new Set(sent).size, sent.length)
    assert.ok(sent.every(text => /^Ferns \d+\n/.test(text)))
    assert.ok(provider.calls.every(call => call.inputs.length <= 64))
    assert.ok(
      provider.calls.every(
        call =>
          call.headers.authorization === `Bearer the-${call.route === 'rerank' ? 'rerank' : 'embedding'}-key`,
      ),
    )
  })

  test('reuses embeddings within a workspace and model but not across them', async () => {
    const id = await makeBase(api)
    const text = '# Moss\n\nMoss grows on the north side of things.'
    assert.equal((await embeddedDuring(() => addTexts(api, id, { 'moss.md': text }))).length, 1)
    const again = await embeddedDuring(async () => {
      await addTexts(api, id, { 'copy.md': text })
      const other = await makeBase(api)
      const [file] = await addTexts(api, other, { 'elsewhere.md': text })
      await dataOf(api.post(`knowledge/${other}/rebind`, { file_ids: [file] }))
      await whenIngested(api, other)
      await dataOf(api.post(`knowledge/${id}/update`, { chunking: { size: 300 } }))
      await whenIngested(api, id)
    })
    assert.deepEqual(again, [])
    assert.deepEqual((await namesFound(api, id, 'moss', { mode: 'semantic' })).sort(), ['copy.md', 'moss.md'])

    const twice = `${text}\n\n# Moss\n\nMoss grows on the north side of things.`
    assert.deepEqual(
      await embeddedDuring(() =>
        addTexts(
          api,
          id,
          { 'twice.md': twice },
          { chunking: { size: 100, overlap: 0, strategy: 'heading' } },
        ),
      ),
      [],
    )

    const { token } = await dataOf(api.post('workspace/create', { name: 'Neighbour' }))
    const neighbour = api.as(token)
    const foreign = await embeddedDuring(async () =>
      addTexts(neighbour, await makeBase(neighbour), { 'moss.md': text }),
    )
    assert.equal(foreign.length, 1)
    const otherModel = await embeddedDuring(async () =>
      addTexts(api, await makeBase(api, { embedding: { model: 'another' } }), { 'moss.md': text }),
    )
    assert.equal(otherModel.length, 1)
    assert.equal(provider.calls.at(-1)?.model, 'another')
  })

  test('finds an edited passage by its new content', async () => {
    const id = await makeBase(api)
    const [file] = await addTexts(api, id, { 'tea.md': tea })
    const [chunk] = (await dataOf(api.get(`knowledge/${id}/files/${file}/chunks`))).items
    const path = `knowledge/${id}/files/${file}/chunks/${chunk.chunk_id}/update`
    await dataOf(api.post(path, { content: 'Gravel paths need raking in autumn.' }))
    const before = (await ask(api, id, 'The kettle is in the kitchen', { mode: 'semantic' })).items
    const now = (await ask(api, id, 'gravel pahts nede rakign', { mode: 'semantic' })).items
    assert.deepEqual(
      now.map((item: Data) => item.content),
      ['Gravel paths need raking in autumn.'],
    )
    assert.ok(now[0].score > (before[0]?.score ?? 0), 'the old vector was not replaced')
  })

  test('orders results by the reranker score', async () => {
    const id = await makeBase(api)
    // Keyword search prefers the shortest text, the scripted reranker the one most similar to the query.
    const texts = {
      'short.txt': 'banyan',
      'like.txt': 'which roots does a banyan tree let down',
      'other.txt': 'xylophones 1234 qqq banyan',
    }
    await addTexts(api, id, texts)
    const question = 'which roots does a banyan tree let down'
    const plain = await ask(api, id, 'banyan', { mode: 'keyword' })
    const ranked = await ask(api, id, question, { mode: 'keyword', rerank: true })
    assert.equal(plain.items[0].file_name, 'short.txt')
    assert.equal(ranked.items[0].file_name, 'like.txt')
    const call = provider.calls.findLast(({ route }) => route === 'rerank')!
    assert.deepEqual([call.query, call.inputs.length, call.model], [question, 3, 'scripted-rerank'])
    const scores = ranked.items.map((item: Data) => item.scores.rerank)
    assert.deepEqual(
      scores,
      scores.toSorted((one: number, other: number) => other - one),
    )
    for (const item of ranked.items) {
      assert.equal(item.score, item.scores.rerank)
      assert.ok(item.scores.keyword > 0)
    }
    // The reverse case: the last keyword result comes first.
    const unlike = await ask(api, id, 'xylophones 1234 qqq', { mode: 'hybrid', rerank: true, top_k: 1 })
    assert.deepEqual(
      unlike.items.map((item: Data) => item.file_name),
      ['other.txt'],
    )
    await dataOf(api.post(`knowledge/${id}/update`, { retrieval: { rerank: true } }))
    assert.equal(typeof (await ask(api, id, 'banyan')).items[0].scores.rerank, 'number')
    assert.equal((await ask(api, id, 'banyan', { rerank: false })).items[0].scores.rerank, null)
    assert.deepEqual((await ask(api, id, 'nothing of it', { mode: 'keyword' })).items, [], 'nothing to rank')
  })

  test('retries rate limits, server errors and malformed embedding responses', async () => {
    const id = await makeBase(api)
    const faults: Fault[][] = [
      [{ status: 429, headers: { 'retry-after-ms': '100' } }, { status: 503 }],
      ['garbage', 'html'],
      ['wrong_count', 'error_in_200'],
      ['not_a_number'],
      ['cut', 'drop'],
    ]
    for (const [at, some] of faults.entries()) {
      provider.play(...some)
      const name = `fault ${at}.txt`
      const sent = await embeddedDuring(() => addTexts(api, id, { [name]: `Fault number ${at} is borne.` }))
      const [{ status, error, attempts }] = (await dataOf(api.get(`knowledge/${id}/files?keyword=${at}.txt`)))
        .items
      assert.deepEqual([status, error, attempts], ['ready', null, 1], JSON.stringify(some))
      assert.equal(sent.length, some.length + 1)
      assert.equal((await namesFound(api, id, `Fault number ${at} is borne`, { mode: 'semantic' }))[0], name)
    }
  })

  test('fails the document on a zero vector, which has no direction to compare', async () => {
    const id = await makeBase(api)
    provider.play('zero')
    const [file] = await addTexts(api, id, { 'zero.txt': 'A text without direction.' })
    const { status, error, attempts } = await documentOf(api, id, file!)
    assert.deepEqual([status, error.code, error.retryable, attempts], ['failed', 'embedding_failed', true, 1])
    assert.match(error.message, /another model/)
    assert.deepEqual(await dataOf(api.post(`knowledge/${id}/rebind`)), { accepted: [file], skipped: [] })
    await whenIngested(api, id)
    assert.equal((await documentOf(api, id, file!)).status, 'ready')
  })

  test('embeds small texts together, and each of them alone when that fails', async () => {
    const id = await makeBase(api)
    const textsOf = (topic: string): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length: 6 }, (_, at) => [`${topic} ${at}.txt`, `Note ${at} on ${topic}.`]),
      )
    const before = provider.calls.length
    await addTexts(api, id, textsOf('ponds'))
    assert.deepEqual(
      provider.calls.slice(before).map(call => call.inputs.length),
      [6],
    )
    provider.play('zero')
    await addTexts(api, id, textsOf('rivers'))
    const { items } = await dataOf(api.get(`knowledge/${id}/files?page_size=20`))
    assert.deepEqual(
      items.map((item: Data) => [item.status, item.error, item.attempts]),
      Array.from({ length: 12 }, (_, at) => ['ready', null, at < 6 ? 2 : 1]),
    )
    assert.equal((await namesFound(api, id, 'Note 3 on rivers.', { mode: 'semantic' }))[0], 'rivers 3.txt')
  })
})

describe('an embedding model whose vector dimension changes', () => {
  let provider: ScriptedProvider
  let server: TestServer
  let api: ApiClient
  let id: string
  before(async () => {
    provider = await startScriptedProvider()
    server = await startTestServer({ EMBEDDING_BASE_URL: provider.baseUrl, EMBEDDING_MODEL: 'scripted' })
    api = server.api
    id = await makeBase(api, { chunking: { strategy: 'heading', size: 100, overlap: 0 } })
    await addTexts(api, id, { 'tea.md': tea })
  })
  after(async () => {
    await server.stop()
    await provider.close()
  })

  test('fails only the affected document with a reason', async () => {
    provider.play('wrong_dimension')
    const [file] = await addTexts(api, id, { 'shorter.txt': 'Vectors of 63 numbers.' })
    const { status, error } = await documentOf(api, id, file!)
    assert.deepEqual([status, error.code, error.retryable], ['failed', 'embedding_changed', false])
    assert.match(error.message, /63/)
    assert.equal((await namesFound(api, id, 'kettle', { mode: 'semantic' }))[0], 'tea.md')
    // The dimension of a wrong response must not be cached.
    await dataOf(api.post(`knowledge/${id}/rebind`, { file_ids: [file] }))
    await whenIngested(api, id)
    const again = await documentOf(api, id, file!)
    assert.deepEqual([again.status, again.error], ['ready', null])
  })

  test('fails the document even when part of it was embedded before', async () => {
    provider.play('wrong_dimension')
    const mixed = `${tea}\n\n# News\n\nThis passage is new and gets a shorter vector.`
    const [file] = await addTexts(api, id, { 'mixed.md': mixed })
    const { status, error } = await documentOf(api, id, file!)
    assert.deepEqual([status, error?.code], ['failed', 'embedding_changed'])
    const found = await ask(api, id, 'This passage is new', { mode: 'semantic' })
    assert.ok(found.items.length > 0)
  })

  test('rejects a chunk edit and keeps the chunk searchable', async () => {
    const [document] = (await dataOf(api.get(`knowledge/${id}/files?keyword=tea.md`))).items
    const [chunk] = (await dataOf(api.get(`knowledge/${id}/files/${document.file_id}/chunks`))).items
    provider.play('wrong_dimension')
    const answer = await api.post(
      `knowledge/${id}/files/${document.file_id}/chunks/${chunk.chunk_id}/update`,
      { content: 'Corrected with a vector that is too short.' },
    )
    assert.notEqual(answer.json.code, 0, answer.text)
    assert.notEqual(answer.json.code, 50001, answer.text)
    assert.equal((await namesFound(api, id, 'kettle', { mode: 'semantic' }))[0], 'tea.md')
  })

  test('falls back to keyword search and fails semantic search when the query vector differs', async () => {
    provider.play('wrong_dimension')
    const semantic = await api.post(`knowledge/${id}/search`, { query: 'kettle', mode: 'semantic' })
    assert.deepEqual([semantic.status, semantic.json.code], [502, 50201], semantic.text)
    provider.play('wrong_dimension')
    const hybrid = await ask(api, id, 'kettle')
    assert.deepEqual([hybrid.mode, hybrid.items[0].file_name], ['keyword', 'tea.md'])
    assert.match(hybrid.warning, /Keyword search only/)
  })
  test('gets a new index when the embedding is updated, although the name of the model is the same', async () => {
    provider.resize(32)
    const [file] = await addTexts(api, id, { 'coffee.txt': 'Coffee is in the cellar.' })
    assert.equal((await documentOf(api, id, file!)).error.code, 'embedding_changed')
    await dataOf(api.post(`knowledge/${id}/update`, { embedding: {} }))
    await whenIngested(api, id)
    assert.equal((await documentOf(api, id, file!)).status, 'ready')
    assert.equal((await namesFound(api, id, 'Coffee in the cellar', { mode: 'semantic' }))[0], 'coffee.txt')
    assert.ok((await namesFound(api, id, 'The kettle', { mode: 'semantic' })).includes('tea.md'))
    const again = await dataOf(api.post(`knowledge/${id}/update`, { embedding: {} }))
    assert.equal(again.reindexing, null)
  })

  test('embeds cached texts again in a new base where they do not fit the new ones', async () => {
    provider.resize(16)
    const other = await makeBase(api, { chunking: { strategy: 'heading', size: 100, overlap: 0 } })
    const [file] = await addTexts(api, other, { 'mixed.md': `${tea}\n\n# Cups\n\nCups are on the shelf.` })
    const { status, error } = await documentOf(api, other, file!)
    assert.deepEqual([status, error], ['ready', null])
    assert.equal((await namesFound(api, other, 'Cups on the shelf', { mode: 'semantic' }))[0], 'mixed.md')
  })
})
