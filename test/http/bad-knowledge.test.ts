import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

type Refusal = [body: unknown, path: string]

const proto = (value: string): unknown => JSON.parse(`{"__proto__":${value}}`)
const keys = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, at) => [at, 1]))

describe('rejected requests to knowledge bases', () => {
  let server: TestServer
  let api: ApiClient
  let base: string
  let file: string
  let chunk: string
  before(async () => {
    server = await startTestServer()
    api = server.api
    base = await makeBase(api)
    file = (await addTexts(api, base, { 'tea.md': 'Oolong tea.' }))[0]!
    chunk = (await dataOf(api.get(`knowledge/${base}/files/${file}/chunks`))).items[0].chunk_id
  })
  after(() => server.stop())

  async function assertRefused(path: string, refusals: Refusal[]): Promise<void> {
    for (const [body, field] of refusals) {
      const label = `${path} ${JSON.stringify(body)?.slice(0, 200)}`
      const sent = typeof body === 'string' ? body : JSON.stringify(body)
      const answer = await api.post(path, sent, { headers: { 'content-type': 'application/json' } })
      assert.deepEqual([answer.status, answer.json.code], [400, 40001], `${label}: ${answer.text}`)
      assert.equal(answer.json.data.errors[0].path, field, `${label}: ${answer.text}`)
      assert.ok(answer.json.data.errors[0].message)
    }
  }

  const metadataRefusals = (around: object): Refusal[] =>
    (
      [
        [1, '/metadata'],
        [[], '/metadata'],
        [keys(65), '/metadata'],
        [{ '': 1 }, '/metadata'],
        [{ ['x'.repeat(101)]: 1 }, '/metadata'],
        [{ 'a\0': 1 }, '/metadata'],
        [proto('{"polluted":1}'), '/metadata'],
        [{ a: null }, '/metadata/a'],
        [{ a: {} }, '/metadata/a'],
        [{ 'a/b~': {} }, '/metadata/a~1b~0'],
        [{ a: 'x'.repeat(1001) }, '/metadata/a'],
        [{ a: '\ud800' }, '/metadata/a'],
        [{ a: 'x\0' }, '/metadata/a'],
        [{ a: Array(51).fill(1) }, '/metadata/a'],
        [{ a: [1, null] }, '/metadata/a/1'],
        [{ a: [[1]] }, '/metadata/a/0'],
      ] as Refusal[]
    ).map(([metadata, path]) => [{ ...around, metadata }, path])

  const settingsRefusals = (around: object): Refusal[] => [
    ...(
      [
        [{ name: '' }, '/name'],
        [{ name: ' \t\u3000' }, '/name'],
        [{ name: 'x'.repeat(101) }, '/name'],
        [{ name: 'a\0b' }, '/name'],
        [{ name: '\ud800' }, '/name'],
        [{ name: 1 }, '/name'],
        [{ description: 'x'.repeat(2001) }, '/description'],
        [{ description: 1 }, '/description'],
        [{ chunking: [] }, '/chunking'],
        [{ chunking: { strategy: 'none' } }, '/chunking/strategy'],
        [{ chunking: { size: 99 } }, '/chunking/size'],
        [{ chunking: { size: 4001 } }, '/chunking/size'],
        [{ chunking: { size: 512.5 } }, '/chunking/size'],
        [{ chunking: { size: '512' } }, '/chunking/size'],
        [{ chunking: { overlap: -1 } }, '/chunking/overlap'],
        [{ chunking: { overlap: 501 } }, '/chunking/overlap'],
        [{ chunking: { separators: 'x' } }, '/chunking/separators'],
        [{ chunking: { separators: Array(21).fill('x') } }, '/chunking/separators'],
        [{ chunking: { separators: ['x', ''] } }, '/chunking/separators/1'],
        [{ chunking: { separators: ['x'.repeat(21)] } }, '/chunking/separators/0'],
        [{ embedding: 'model' }, '/embedding'],
        [{ embedding: { model: '' } }, '/embedding/model'],
        [{ embedding: { model: 'x'.repeat(201) } }, '/embedding/model'],
        [{ embedding: { model: 'not configured' } }, '/embedding'],
        [{ retrieval: 1 }, '/retrieval'],
        [{ retrieval: { mode: 'best' } }, '/retrieval/mode'],
        [{ retrieval: { top_k: 0 } }, '/retrieval/top_k'],
        [{ retrieval: { top_k: 51 } }, '/retrieval/top_k'],
        [{ retrieval: { score_threshold: -0.1 } }, '/retrieval/score_threshold'],
        [{ retrieval: { score_threshold: 1.1 } }, '/retrieval/score_threshold'],
        [{ retrieval: { rerank: 1 } }, '/retrieval/rerank'],
        [{ retrieval: { rerank: true } }, '/retrieval/rerank'],
      ] as Refusal[]
    ).map(([body, path]): Refusal => [{ ...around, ...(body as object) }, path]),
    ...metadataRefusals(around),
  ]

  const total = async (): Promise<number> => (await dataOf(api.post('knowledge', {}))).total

  test('rejects invalid settings on create', async () => {
    const before = await total()
    await assertRefused('knowledge/create', [
      [{}, '/name'],
      [[], ''],
      ['null', ''],
      ...settingsRefusals({ name: 'Refused' }),
      ['{"name":"Refused","metadata":{"a":1e400}}', '/metadata/a'],
    ])
    assert.equal(await total(), before)
    assert.equal(({} as { polluted?: number }).polluted, undefined)
  })

  test('keeps the settings when an update is invalid', async () => {
    const before = await dataOf(api.get(`knowledge/${base}`))
    await assertRefused(`knowledge/${base}/update`, settingsRefusals({ description: 'never' }))
    assert.deepEqual(await dataOf(api.get(`knowledge/${base}`)), before)
  })

  test('rejects out-of-range list and page parameters', async () => {
    await assertRefused('knowledge', [
      [{ page: 0 }, '/page'],
      [{ page_size: 101 }, '/page_size'],
      [{ keyword: 'x'.repeat(256) }, '/keyword'],
      [{ knowledge_ids: [] }, '/knowledge_ids'],
      [{ knowledge_ids: Array(101).fill('kb_x') }, '/knowledge_ids'],
      [{ knowledge_ids: ['kb_x', 'not an id'] }, '/knowledge_ids/1'],
    ])
    for (const [query, field] of [
      ['status=gone', '/status'],
      ['status=', '/status'],
      ['page=0', '/page'],
      ['page_size=101', '/page_size'],
      ['page_size=1&page_size=2', '/page_size'],
      ['keyword=%00', '/keyword'],
    ]) {
      const { json, text } = await api.get(`knowledge/${base}/files?${query}`)
      assert.deepEqual([json.code, json.data.errors[0]?.path], [40001, field], `${query}: ${text}`)
    }
    const { json } = await api.get(`knowledge/${base}/files/${file}/chunks?page_size=0`)
    assert.deepEqual([json.code, json.data.errors[0]?.path], [40001, '/page_size'])
  })

  test('rejects invalid documents and stores no files for them', async () => {
    const files = async (): Promise<number> => (await dataOf(api.post('files', {}))).total
    const before = await files()
    const text = { name: 'a.txt', content: 'a' }
    await assertRefused(`knowledge/${base}`, [
      [{}, '/file_ids'],
      [{ file_ids: [], texts: [] }, '/file_ids'],
      [{ file_ids: 'file_x' }, '/file_ids'],
      [{ file_ids: [file, 'not an id'] }, '/file_ids/1'],
      [{ file_ids: Array.from({ length: 101 }, (_, at) => `file_${at}`) }, '/file_ids'],
      [{ texts: Array(101).fill(text) }, '/texts'],
      [{ texts: [text, 'b'] }, '/texts/1'],
      [{ texts: [{ content: 'a' }] }, '/texts/0/name'],
      [{ texts: [{ ...text, name: '' }] }, '/texts/0/name'],
      [{ texts: [text, { ...text, name: ' ' }] }, '/texts/1/name'],
      [{ texts: [{ ...text, name: 'a\nb' }] }, '/texts/0/name'],
      [{ texts: [{ ...text, name: 'x'.repeat(256) }] }, '/texts/0/name'],
      [{ texts: [{ name: 'a.txt' }] }, '/texts/0/content'],
      [{ texts: [text, { ...text, content: '' }] }, '/texts/1/content'],
      [{ texts: [{ ...text, content: 'a\0' }] }, '/texts/0/content'],
      [{ texts: [{ ...text, content: 'x'.repeat(10_000_001) }] }, '/texts/0/content'],
      [{ texts: [text], chunking: { size: 1 } }, '/chunking/size'],
      [{ texts: [text], chunking: { overlap: 501 } }, '/chunking/overlap'],
      ...metadataRefusals({ texts: [text] }),
    ])
    assert.equal((await dataOf(api.get(`knowledge/${base}`))).document_count, 1)
    assert.equal(await files(), before)
  })

  test('rejects out-of-range search parameters', async () => {
    const filter = (value: unknown): object => ({ query: 'tea', filter: value })
    await assertRefused(`knowledge/${base}/search`, [
      [{}, '/query'],
      [{ query: '' }, '/query'],
      [{ query: ' \n\u3000' }, '/query'],
      [{ query: 'x'.repeat(4001) }, '/query'],
      [{ query: 1 }, '/query'],
      [{ query: 'tea', top_k: 0 }, '/top_k'],
      [{ query: 'tea', top_k: 51 }, '/top_k'],
      [{ query: 'tea', top_k: 1.5 }, '/top_k'],
      [{ query: 'tea', mode: 'best' }, '/mode'],
      [{ query: 'tea', mode: 'semantic' }, '/mode'],
      [{ query: 'tea', score_threshold: 2 }, '/score_threshold'],
      [{ query: 'tea', rerank: 'yes' }, '/rerank'],
      [{ query: 'tea', rerank: true }, '/rerank'],
      [{ query: 'tea', file_ids: [] }, '/file_ids'],
      [{ query: 'tea', file_ids: ['not an id'] }, '/file_ids/0'],
      [{ query: 'tea', file_ids: Array(101).fill('file_x') }, '/file_ids'],
      [{ query: 'tea', explain: 1 }, '/explain'],
      [filter([]), '/filter'],
      [filter(keys(33)), '/filter'],
      [filter({ '': 1 }), '/filter'],
      [filter(proto('1')), '/filter'],
      [filter({ a: null }), '/filter/a'],
      [filter({ a: [1] }), '/filter/a'],
      [filter({ a: {} }), '/filter/a'],
      [filter({ 'a/b': { near: 1 } }), '/filter/a~1b/near'],
      [filter({ a: proto('1') }), '/filter/a/__proto__'],
      [filter({ a: { gt: true } }), '/filter/a/gt'],
      [filter({ a: { lt: [1] } }), '/filter/a/lt'],
      [filter({ a: { gt: 1, lt: '2' } }), '/filter/a'],
      [filter({ a: { in: 1 } }), '/filter/a/in'],
      [filter({ a: { in: [] } }), '/filter/a/in'],
      [filter({ a: { in: [1, {}] } }), '/filter/a/in/1'],
      [filter({ a: { in: Array(101).fill(1) } }), '/filter/a/in'],
      [filter({ a: { eq: null } }), '/filter/a/eq'],
      [filter({ a: 'x'.repeat(1001) }), '/filter/a'],
      ['{"query":"tea","filter":{"a":{"gt":1e400}}}', '/filter/a/gt'],
    ])
    const longest = '茶'.repeat(4000)
    assert.equal((await api.post(`knowledge/${base}/search`, { query: longest })).status, 200)
    const huge = await api.post(`knowledge/${base}/search`, { query: 'x'.repeat(300_000) })
    assert.equal(huge.json.code, 41301)
  })

  test('rejects an empty or invalid chunk update', async () => {
    await assertRefused(`knowledge/${base}/files/${file}/chunks/${chunk}/update`, [
      [{}, '/content'],
      [{ content: '' }, '/content'],
      [{ content: ' \n' }, '/content'],
      [{ content: 'x'.repeat(40_001) }, '/content'],
      [{ content: 'a\0' }, '/content'],
      [{ enabled: 'no' }, '/enabled'],
      [{ content: null }, '/content'],
    ])
    await assertRefused(`knowledge/${base}/rebind`, [
      [{ file_ids: [] }, '/file_ids'],
      [{ file_ids: Array(101).fill(file) }, '/file_ids'],
      [{ file_ids: 'all' }, '/file_ids'],
    ])
  })

  /** Every operation with an id in its path, with a valid body. */
  const attempts = (client: ApiClient, ids: { base: string; file: string; chunk: string }) => ({
    get: () => client.get(`knowledge/${ids.base}`),
    files: () => client.get(`knowledge/${ids.base}/files`),
    chunks: () => client.get(`knowledge/${ids.base}/files/${ids.file}/chunks`),
    search: () => client.post(`knowledge/${ids.base}/search`, { query: 'tea' }),
    add: () => client.post(`knowledge/${ids.base}`, { texts: [{ name: 'never.txt', content: 'never' }] }),
    rebind: () => client.post(`knowledge/${ids.base}/rebind`),
    update: () => client.post(`knowledge/${ids.base}/update`, { description: 'never' }),
    updateChunk: () =>
      client.post(`knowledge/${ids.base}/files/${ids.file}/chunks/${ids.chunk}/update`, { enabled: false }),
    deleteFile: () => client.post(`knowledge/${ids.base}/files/${ids.file}/delete`),
    delete: () => client.post(`knowledge/${ids.base}/delete`),
  })

  test('returns 404 for any unknown or malformed id', async () => {
    for (const id of ['kb_nope', 'create', 'x'.repeat(65), 'a b', '%00', '..%2f', '__proto__', file])
      for (const [name, attempt] of Object.entries(attempts(api, { base: encodeURI(id), file, chunk })))
        assert.equal(
          (await attempt()).json.code,
          name === 'add' && id === 'create' ? 40001 : 40401,
          `${name} ${id}`,
        )
    const { chunks, deleteFile, updateChunk } = attempts(api, { base, file: 'file_nope', chunk })
    for (const attempt of [chunks, deleteFile, updateChunk]) assert.equal((await attempt()).json.code, 40401)
    const unknownChunk = attempts(api, { base, file, chunk: 'chunk_nope' }).updateChunk
    assert.equal((await unknownChunk()).json.code, 40401)
  })

  test('returns 405 with the allowed methods', async () => {
    for (const [method, path, allow] of [
      ['GET', 'knowledge', 'POST'],
      ['PUT', `knowledge/${base}`, 'GET, HEAD, POST'],
      ['DELETE', `knowledge/${base}`, 'GET, HEAD, POST'],
      ['POST', `knowledge/${base}/files`, 'GET, HEAD'],
      ['GET', `knowledge/${base}/search`, 'POST'],
    ]) {
      const answer = await api.call(method!, path!)
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allow], `${method} ${path}`)
    }
  })

  test('lets viewers read and search, editors change, and runners do neither', async () => {
    const reads = ['get', 'files', 'chunks', 'search']
    const clientOf = async (role: string, more: object = {}): Promise<ApiClient> =>
      api.as((await dataOf(api.post('token/create', { name: role, role, ...more }))).token)
    const viewer = await clientOf('viewer')
    const runner = await clientOf('runner', { agent_ids: ['agent_1'] })
    for (const client of [viewer, runner]) {
      assert.equal((await client.post('knowledge/create', { name: 'Refused' })).json.code, 40301)
      for (const [name, attempt] of Object.entries(attempts(client, { base, file, chunk })))
        assert.equal(
          (await attempt()).status,
          client === viewer && reads.includes(name) ? 200 : 403,
          `${name} as ${client === viewer ? 'viewer' : 'runner'}`,
        )
    }
    assert.equal((await viewer.post('knowledge', {})).status, 200)
    assert.equal((await runner.post('knowledge', {})).status, 403)
    assert.equal((await api.as(undefined).get(`knowledge/${base}`)).json.code, 40101)
    const own = await makeBase(await clientOf('editor'))
    const ownFile = (await addTexts(api, own, { 'a.md': 'Oolong tea.' }))[0]!
    const ownChunk = (await dataOf(api.get(`knowledge/${own}/files/${ownFile}/chunks`))).items[0].chunk_id
    const editor = await clientOf('editor')
    for (const [name, attempt] of Object.entries(
      attempts(editor, { base: own, file: ownFile, chunk: ownChunk }),
    ))
      assert.equal((await attempt()).status, 200, name)
  })

  test('returns 404 for bases of another workspace and does not add its files', async () => {
    const theirs = api.as((await dataOf(api.post('workspace/create', { name: 'theirs' }))).token)
    const before = await dataOf(api.get(`knowledge/${base}`))
    for (const [name, attempt] of Object.entries(attempts(theirs, { base, file, chunk })))
      assert.equal((await attempt()).json.code, 40401, name)
    assert.deepEqual(await dataOf(api.get(`knowledge/${base}`)), before)
    assert.equal((await dataOf(theirs.post('knowledge', { knowledge_ids: [base] }))).total, 0)
    assert.equal((await dataOf(theirs.post('files', {}))).total, 0, 'a rejected text leaves no file')

    const theirBase = await makeBase(theirs, { name: before.name })
    assert.deepEqual(await dataOf(theirs.post(`knowledge/${theirBase}`, { file_ids: [file] })), {
      items: [],
      skipped: [{ file_id: file, reason: 'not_found' }],
    })
    const search = { query: 'tea', explain: { file_id: file } }
    const found = await dataOf(theirs.post(`knowledge/${theirBase}/search`, search))
    const unknown = await dataOf(
      theirs.post(`knowledge/${theirBase}/search`, { query: 'tea', explain: { file_id: 'file_nope' } }),
    )
    assert.deepEqual(found.items, [])
    assert.equal(found.explanation.absent[0].reason, unknown.explanation.absent[0].reason)
  })

  test('creates one base and one set of documents per Idempotency-Key', async () => {
    const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
    const replayed = (answer: ApiAnswer): string | null => answer.headers.get('idempotency-replayed')
    const create = (name: string): Promise<ApiAnswer> => api.post('knowledge/create', { name }, keyed('base'))
    const first = await create('Keyed')
    const second = await create('Keyed')
    assert.deepEqual([second.text, replayed(second)], [first.text, 'true'])
    assert.equal((await create('Another')).json.code, 40901)

    const [one, other] = [first.json.data.knowledge_id as string, await makeBase(api)]
    const add = (id: string, content: string): Promise<ApiAnswer> =>
      api.post(`knowledge/${id}`, { texts: [{ name: 'a.txt', content }] }, keyed('documents'))
    const added = await add(one, 'Green tea.')
    assert.equal(added.status, 200, added.text)
    const again = await add(one, 'Green tea.')
    assert.deepEqual([again.text, replayed(again)], [added.text, 'true'])
    assert.equal((await whenIngested(api, one)).document_count, 1)
    assert.equal((await add(one, 'Black tea.')).json.code, 40901)
    assert.equal((await add(other, 'Green tea.')).json.code, 40901, 'the same text for another base')
    assert.equal((await dataOf(api.get(`knowledge/${other}`))).document_count, 0)
  })
})
