import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { ApiClient } from '../support/api-client.ts'
import { rounds } from '../support/rounds.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const edge = (from: string, to: string) => ({
  source: { cell: from, port: `out.${from}` },
  target: { cell: to, port: `in.${to}` },
})
const node = (id: string, data: object) => ({ id, type: 'base', data: { title: id, desc: '', ...data } })
const graph = (prompt = 'Say {{#sys.query#}}') => ({
  nodes: [
    node('input', { type: 'input' }),
    node('llm_1', { type: 'llm', prompt_template: prompt, '数据源/API工具': [] }),
    node('end', { type: 'end' }),
  ],
  edges: [edge('input', 'llm_1'), edge('llm_1', 'end')],
})

describe('workflows over HTTP', () => {
  let server: TestServer
  let api: ApiClient
  before(async () => {
    server = await startTestServer()
    api = server.api
  })
  after(() => server.stop())

  const put = (id: string, text: string) =>
    api.post('workflow/update', `{"id":"${id}","workflow":${text}}`, {
      headers: { 'content-type': 'application/json' },
    })
  const stored = async (id: string): Promise<string> => {
    const { text } = await api.get(`workflow?id=${id}`)
    const from = text.indexOf('"config":') + '"config":'.length
    return text.slice(from, text.lastIndexOf(',"created_at"'))
  }

  test('returns stored graphs verbatim for any JSON around the known fields', async () => {
    const keys = fc.oneof(
      fc.string(),
      fc.constantFrom('__proto__', 'constructor', '数据源/API工具', 'a/b~c', ''),
    )
    const value = fc.letrec(tie => ({
      any: fc.oneof(
        { maxDepth: 6 },
        fc.jsonValue({ maxDepth: 1 }).map(each => JSON.stringify(each)),
        fc.constantFrom(
          '9007199254740993',
          '-0.0',
          '1e-7',
          '1E+2',
          '123456789012345678901234567890',
          '"\\u0000\\ud800"',
          '"\\/"',
        ),
        fc.array(tie('any') as fc.Arbitrary<string>, { maxLength: 3 }).map(items => `[ ${items.join(' ,')}]`),
        fc
          .array(fc.tuple(keys, tie('any') as fc.Arbitrary<string>), { maxLength: 3 })
          .map(members => `{${members.map(([key, text]) => `${JSON.stringify(key)} : ${text}`).join(',')}}`),
      ),
    })).any as fc.Arbitrary<string>
    await fc.assert(
      fc.asyncProperty(value, value, async (inData, beside) => {
        const text = `{"beside":${beside},"nodes":[{"id":"x","type":"robot","data":{"type":"strange","deep":${inData}}, "position":{"y":1}}],"edges":[]}`
        assert.equal((await put('property', text)).json.code, 0)
        assert.equal(await stored('property'), text)
      }),
      { numRuns: rounds(40) },
    )
    assert.equal(({} as { polluted?: unknown }).polluted, undefined)
  })

  test('accepts 64 levels of nesting and rejects 65 in every request format', async () => {
    const nested = (levels: number) =>
      `{"nodes":[],"edges":[],"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    assert.equal((await put('deep', nested(64))).json.code, 0)
    assert.equal(await stored('deep'), nested(64))
    assert.equal((await put('deeper', nested(65))).json.code, 40003)
    assert.equal((await api.get('workflow?id=deeper')).json.data.exist, false)
    const headers = { 'content-type': 'application/json' }
    const nodes = (levels: number) =>
      `{"nodes":[{"id":"a","type":"b","data":{"x":${'['.repeat(levels - 4)}${']'.repeat(levels - 4)}}}],"edges":[]}`
    assert.equal((await api.post('workflow/create', nodes(64), { headers })).json.code, 0)
    assert.equal((await api.post('workflow/create', nodes(65), { headers })).json.code, 40003)
  })

  test('reports whether an update created, changed or left the workflow unchanged', async () => {
    const update = (prompt: string) => api.post('workflow/update', { id: 'said', workflow: graph(prompt) })
    assert.deepEqual((await update('a')).json, {
      code: 0,
      message: 'success',
      data: { message: 'created', version: 1, warnings: [] },
    })
    assert.deepEqual((await update('b')).json.data, { message: 'updated', version: 2, warnings: [] })
    assert.deepEqual((await update('b')).json.data, { message: 'unchanged', version: 2, warnings: [] })
    const [warning] = (await update('{{#ghost.text#}}')).json.data.warnings
    assert.deepEqual(
      [warning.rule, warning.blocking, warning.path],
      ['reference_unknown_node', true, '/workflow/nodes/1/data/prompt_template'],
    )
  })

  test('supports compare-and-swap by ETag', async () => {
    await api.post('workflow/update', { id: 'cas', workflow: graph('1') })
    const read = await api.get('workflow?id=cas')
    const tag = read.headers.get('etag')!
    assert.match(tag, /^"1-[\w-]{16}"$/)
    assert.equal(read.headers.get('vary'), 'authorization')
    const readWith = async (tags: string) =>
      (await api.get('workflow?id=cas', { headers: { 'if-none-match': tags } })).status
    assert.deepEqual([await readWith(`W/"7", ${tag}`), await readWith('"1"')], [304, 200])
    const swap = (tag: string, prompt: string) =>
      api.post('workflow/update', { id: 'cas', workflow: graph(prompt) }, { headers: { 'if-match': tag } })
    assert.equal((await swap('"1"', '2')).json.data.version, 2)
    assert.equal((await swap(tag, '3')).json.code, 40901)
    const lost = await swap('"1"', '3')
    assert.deepEqual([lost.status, lost.json.code, lost.json.data.version], [409, 40901, 2])
    assert.equal((await swap('*', '4')).json.data.version, 3)
    const current = (await api.get('workflow?id=cas')).headers.get('etag')!
    assert.equal((await swap(current, '4')).json.data.message, 'unchanged')
    for (const tag of ['1', '', '"1" "3"', '"3', '"3",'])
      assert.equal((await swap(tag, '5')).json.code, 40001, tag)
    for (const tag of ['"x"', '"0"', '"1", "2"', '"-1"', '"3-short"', 'W/"2"'])
      assert.deepEqual((await swap(tag, '5')).json.data.version, 3, tag)
    assert.equal((await swap(`"1", W/${current}`, '5')).json.data.version, 4)
    const fresh = (id: string) =>
      api.post('workflow/update', { id, workflow: graph() }, { headers: { 'if-none-match': '*' } })
    const { json: taken } = await fresh('cas')
    assert.deepEqual(
      [taken.code, taken.message],
      [40901, 'The workflow cas exists already, at version 4; to replace it, omit If-None-Match'],
    )
    assert.equal((await fresh('cas_new')).json.data.message, 'created')
    const absent = await api.post(
      'workflow/update',
      { id: 'cas_none', workflow: graph() },
      { headers: { 'if-match': '"1"' } },
    )
    assert.deepEqual([absent.json.code, absent.json.data.version], [40901, 0])
  })

  test('never mistakes a workflow for another one with its id', async () => {
    const store = (client: ApiClient, prompt: string, headers = {}) =>
      client.post('workflow/update', { id: 'again', workflow: graph(prompt) }, { headers })
    const read = (client: ApiClient, tag = '') =>
      client.get('workflow?id=again', { headers: { 'if-none-match': tag } })
    await store(api, 'first')
    const tag = (await read(api)).headers.get('etag')!
    await api.post('workflow/delete', { id: 'again' })
    assert.equal((await store(api, 'gone', { 'if-match': tag })).json.code, 40901)
    assert.equal((await store(api, 'second')).json.data.version, 2, 'no version number is used twice')
    assert.equal((await api.get('workflow/version?id=again&version=1')).status, 404)
    for (const old of [tag, '"1"']) {
      const answer = await read(api, old)
      assert.equal(answer.status, 200)
      assert.match(answer.text, /second/)
      assert.equal((await store(api, 'overwritten', { 'if-match': old })).json.code, 40901, old)
    }
    const { data } = (await api.post('workspace/create', { name: 'tags' })).json
    const other = api.as(data.token)
    await store(other, 'a')
    await store(other, 'b')
    const mine = (await read(api)).headers.get('etag')!
    const theirs = await read(other, mine)
    assert.deepEqual([theirs.status, theirs.json.data.workflow.version], [200, 2])
    assert.equal((await store(other, 'overwritten', { 'if-match': mine })).json.code, 40901)
  })

  test('keeps every version when fifty writers update without If-Match', async () => {
    const prompts = Array.from({ length: 50 }, (_, at) => `writer ${at}`)
    const answers = await Promise.all(
      prompts.map(prompt => api.post('workflow/update', { id: 'crowd', workflow: graph(prompt) })),
    )
    assert.deepEqual(
      answers.map(answer => answer.json.data.version).sort((a, b) => a - b),
      prompts.map((_, at) => at + 1),
    )
    const history = (await api.get('workflow/versions?id=crowd&page_size=100')).json.data
    const seen = await Promise.all(
      history.items.map(async ({ version }: { version: number }) => {
        const { config } = (await api.get(`workflow/version?id=crowd&version=${version}`)).json.data
        return config.nodes[1].data.prompt_template
      }),
    )
    assert.deepEqual(seen.sort(), prompts.sort())
  })

  test('lists versions, rolls back and returns an old version', async () => {
    for (const prompt of ['first', 'second', 'third'])
      await api.post('workflow/update', { id: 'old', workflow: graph(prompt) })
    const { data } = (await api.get('workflow/versions?id=old&page=1&page_size=2')).json
    assert.deepEqual([data.total, data.items.map((item: { version: number }) => item.version)], [3, [3, 2]])
    assert.equal(
      (await api.post('workflow/rollback', { id: 'old', version: 1 }, { headers: { 'if-match': '"2"' } }))
        .json.code,
      40901,
    )
    assert.deepEqual((await api.post('workflow/rollback', { id: 'old', version: 1 })).json.data, {
      message: 'updated',
      version: 4,
      warnings: [],
    })
    assert.deepEqual((await api.get('workflow?id=old')).json.data.workflow.config, graph('first'))
    const again = (await api.post('workflow/rollback', { id: 'old', version: 1 })).json.data
    assert.deepEqual([again.message, again.version], ['updated', 5], 'the same graph as a new version')
    assert.equal((await api.post('workflow/rollback', { id: 'old', version: 99 })).json.code, 40401)
    assert.equal((await api.get('workflow/version?id=old&version=x')).json.data.errors[0].path, '/version')
    assert.equal((await api.get('workflow/versions?id=nothing')).json.code, 40401)
  })

  test('exports and imports the graph verbatim in both formats', async () => {
    const text = '{"nodes":[],"edges":[],"big":9007199254740993}'
    await api.post('workflow/update', `{"id":"out","name":"Tea 茶","workflow":${text}}`, {
      headers: { 'content-type': 'application/json' },
    })
    const exported = await api.post('workflow/export', { id: 'out' })
    assert.ok(exported.text.includes(text))
    const document = exported.text.slice(exported.text.indexOf('{"format"'), -2)
    for (const body of [`{"document":${document}}`, document, `{"id":"given","document":${document}}`]) {
      const made = (
        await api.post('workflow/import', body, { headers: { 'content-type': 'application/json' } })
      ).json.data
      assert.equal(await stored(made.id), text)
      assert.equal((await api.get(`workflow?id=${made.id}`)).json.data.workflow.name, 'Tea 茶')
    }
    const again = await api.post('workflow/import', `{"id":"given","document":${document}}`, {
      headers: { 'content-type': 'application/json' },
    })
    assert.deepEqual([again.json.code, again.json.data.errors[0].path], [40903, '/id'])
    assert.equal(
      (await api.post('workflow/import', { document: { format: 'other', workflow: graph() } })).json.data
        .errors[0].path,
      '/document/format',
    )
    assert.equal((await api.post('workflow/import', {})).json.data.errors[0].path, '/document')
    const wrong = await api.post('workflow/import', { document: { workflow: { nodes: [{}], edges: [] } } })
    assert.equal(wrong.json.code, 42201)
    assert.match(wrong.json.data.errors[0].path, /^\/document\/workflow\/nodes\/0/)
  })

  test('checks a stored or a given graph without storing anything', async () => {
    await api.post('workflow/update', { id: 'checked', workflow: graph() })
    assert.deepEqual((await api.post('workflow/check', { id: 'checked' })).json.data, {
      runnable: true,
      errors: [],
      warnings: [],
    })
    const given = (await api.post('workflow/check', { workflow: { nodes: [{ id: 'a' }], edges: [] } })).json
      .data
    assert.equal(given.runnable, false)
    assert.ok(given.errors.length >= 2)
    assert.equal((await api.post('workflow/check', { id: 'nothing' })).json.code, 40401)
    assert.equal((await api.post('workflow/check', {})).json.data.errors[0].path, '/id')
  })

  test('warns of knowledge bases that do not exist, which does not prevent a run', async () => {
    const { knowledge_id: id } = (await api.post('knowledge/create', { name: 'Known' })).json.data
    const drawn = {
      nodes: [
        node('input', { type: 'input' }),
        node('find', {
          type: 'knowledge_retrieval',
          query: 'x',
          knowledge_ids: [id, 'kb_gone', '{{#sys.query#}}'],
        }),
        node('llm', {
          type: 'llm',
          prompt_template: 'x',
          '数据源/API工具': [id, ' kb_gone ', { type: 'knowledge', id: 'kb_old' }, { type: 'web_search' }],
        }),
        node('agent', { type: 'agent', query: 'x', persona: 'p', knowledge_ids: ['kb_gone'] }),
        node('off', { type: 'llm', prompt_template: 'x', '数据源/API工具': ['kb_gone'], disabled: true }),
        node('end', { type: 'end' }),
      ],
      edges: ['input', 'find', 'llm', 'agent', 'off', 'end'].flatMap((to, at, all) =>
        at === 0 ? [] : [edge(all[at - 1]!, to)],
      ),
    }
    const { errors, runnable, warnings } = (await api.post('workflow/check', { workflow: drawn })).json.data
    assert.deepEqual(errors, [])
    assert.deepEqual(
      warnings.map(({ rule, path }: { rule: string; path: string }) => [rule, path]),
      [
        '/workflow/nodes/1/data/knowledge_ids/1',
        '/workflow/nodes/2/data/数据源~1API工具/1',
        '/workflow/nodes/2/data/数据源~1API工具/2/id',
        '/workflow/nodes/3/data/knowledge_ids/0',
      ].map(path => ['knowledge_unknown', path]),
    )
    assert.equal(runnable, true)
    const other = await server.api.post('workspace/create', { name: 'Other' })
    const stranger = api.as(other.json.data.token)
    const { data } = (await stranger.post('workflow/update', { id: 'w', workflow: drawn })).json
    assert.equal(data.warnings.length, 6, 'the base belongs to another workspace')
    for (const name of ['kb\0x', '\ud800', 'two words', 'k'.repeat(1000)]) {
      const llm = node('llm', { type: 'llm', prompt_template: 'x', '数据源/API工具': [name] })
      const checked = await api.post('workflow/check', { workflow: { nodes: [llm], edges: [] } })
      assert.equal(checked.json.data.warnings.at(-1).rule, 'knowledge_unknown', JSON.stringify(name))
    }
    const agent = await api.post('agent/create', { name: 'Persona', learn: { [id]: {}, kb_gone: {} } })
    assert.deepEqual(
      agent.json.data.warnings.map(({ path }: { path: string }) => path),
      ['/learn/kb_gone'],
    )
  })

  test('creates, lists by keyword and deletes workflows', async () => {
    const made = (await api.post('workflow/create', { name: 'Finder 寻找', workflow: graph() })).json.data
    assert.match(made.id, /^wf_[A-Za-z0-9_-]{22}$/)
    const flat = (await api.post('workflow/create', graph())).json.data
    assert.notEqual(flat.id, made.id)
    const listed = (await api.post('workflow/list', { keyword: '寻找' })).json.data
    assert.deepEqual(
      [listed.total, listed.page, listed.page_size, listed.items[0].id, listed.items[0].node_count],
      [1, 1, 20, made.id, 3],
    )
    assert.deepEqual((await api.post('workflow/delete', { id: made.id })).json.data, {})
    assert.equal((await api.post('workflow/delete', { id: made.id })).json.code, 40401)
    assert.equal((await api.post('workflow/list', { keyword: '寻找' })).json.data.total, 0)
    for (const [body, path] of [
      [{ page: 0 }, '/page'],
      [{ page_size: 101 }, '/page_size'],
      [{ page: '1' }, '/page'],
      [{ keyword: 7 }, '/keyword'],
    ] as const)
      assert.equal((await api.post('workflow/list', body)).json.data.errors[0].path, path)
  })

  test('refuses a blank name, and takes an empty one for none', async () => {
    for (const [path, body] of [
      ['create', { name: ' ', workflow: graph() }],
      ['update', { id: 'blank', name: '\t', workflow: graph() }],
      ['import', { name: '　', content: JSON.stringify({ workflow: graph() }) }],
    ] as const) {
      const { status, json } = await api.post(`workflow/${path}`, body)
      assert.deepEqual([status, json.data.errors?.[0].path], [400, '/name'], path)
    }
    assert.equal((await api.post('workflow/create', { name: '', workflow: graph() })).json.code, 0)
  })

  test('creates one workflow for fifty requests with the same Idempotency-Key', async () => {
    const before = (await api.post('workflow/list', {})).json.data.total
    const send = (body: object, key = 'key-1') =>
      api.post('workflow/create', body, { headers: { 'idempotency-key': key } })
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({ workflow: graph() })))
    assert.equal(new Set(answers.map(answer => answer.text)).size, 1)
    assert.equal(answers.filter(answer => answer.headers.get('idempotency-replayed') === 'true').length, 49)
    assert.equal((await api.post('workflow/list', {})).json.data.total, before + 1)
    const other = await send({ workflow: graph('another') })
    assert.deepEqual([other.status, other.json.code], [409, 40901])
    // A rejected request stores no response, so the corrected one may use the same key.
    assert.equal((await send({ workflow: { nodes: 1, edges: [] } }, 'key-2')).json.code, 42201)
    assert.equal((await send({ workflow: graph() }, 'key-2')).json.code, 0)
    assert.equal(
      (await send({ workflow: graph() }, 'x'.repeat(256))).json.data.errors[0].path,
      'header/Idempotency-Key',
    )
  })
})
