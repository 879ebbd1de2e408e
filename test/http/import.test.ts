import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { appText, appWith } from '../import/dify-apps.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { runWorkflow } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
let api: ApiClient

before(async () => {
  server = await startTestServer({ DEMO: 'off' })
  api = server.api
})
after(() => server.stop())

const load = (content: string, more: object = {}) => api.post('workflow/import', { content, ...more })
const count = async (family: string): Promise<number> =>
  (await dataOf(api.post(`${family}/list`, {}))).total as number
const stored = async (id: string) => (await dataOf(api.get(`workflow?id=${id}`))).workflow
const assertRefused = (answer: ApiAnswer, code: number, path: string, message: RegExp): void => {
  assert.equal(answer.json.code, code, answer.text.slice(0, 300))
  assert.equal(answer.json.data.errors[0].path, path)
  assert.match(answer.json.message, message)
}

describe('an app of Dify', () => {
  test('with a node that cannot be mapped is stored, and does not run until it is replaced', async () => {
    const content = appWith({
      id: 'n',
      data: { type: 'tool', title: 'Paint', tool_name: 'paint', provider_name: 'art' },
    })
    const imported = await dataOf(load(content))
    const [blocking] = imported.warnings.filter((each: { blocking: boolean }) => each.blocking)
    assert.equal(blocking.path, '/workflow/nodes/1/data/type')
    assert.match(blocking.message, /Banyan has no tool "paint" of "art"/)
    const { config } = await stored(imported.id)
    assert.equal(config.nodes[1].data.original.tool_name, 'paint')
    const run = await api.post('workflow/run', { id: imported.id, inputs: {} })
    assert.equal(run.json.code, 42202)
  })

  test('may only name knowledge bases of the workspace', async () => {
    const { token } = await dataOf(api.post('workspace/create', { name: 'Elsewhere' }))
    const foreign = (await dataOf(api.as(token).post('knowledge/create', { name: 'Town' }))).knowledge_id
    const before = await count('workflow')
    for (const id of [foreign, 'kb_absent']) {
      const answer = await load(appText('concierge'), { knowledge: { 'town/data': id } })
      assertRefused(answer, 40001, '/knowledge/town~1data', new RegExp(`does not exist: ${id}`))
    }
    assert.equal(await count('workflow'), before)
  })

  test('is audited, and belongs to the workspace of the token', async () => {
    const { token } = await dataOf(api.post('workspace/create', { name: 'Other' }))
    const other = api.as(token)
    const imported = await dataOf(other.post('workflow/import', { content: appText('concierge') }))
    assert.equal((await dataOf(api.get(`workflow?id=${imported.id}`))).exist, false)
    const { items } = await dataOf(other.get(`audit?object_id=${imported.id}`))
    assert.equal(items[0].object_id, imported.id)
    assert.equal(items[0].details.agent_id, imported.agent_id)
  })
})

describe('the text of an exported workflow', () => {
  test('is imported as the document is', async () => {
    const workflow = {
      nodes: [
        { id: 'input', type: 'base', data: { type: 'input' } },
        { id: 'end', type: 'base', data: { type: 'end', outputs: { said: '{{#sys.query#}}' } } },
      ],
      edges: [{ source: { cell: 'input', port: 'out.input' }, target: { cell: 'end', port: 'in.end' } }],
    }
    const document = { format: 'banyan.workflow', format_version: 1, name: 'Plain', settings: {}, workflow }
    for (const content of [document, { document }, { code: 0, data: { document } }, workflow]) {
      const { id, report, agent_id } = await dataOf(load(JSON.stringify(content)))
      assert.deepEqual([report, agent_id], [[], null])
      assert.deepEqual((await stored(id)).config, workflow)
      assert.deepEqual((await runWorkflow(api, id, 'hello')).outputs, { said: 'hello' })
    }
  })

  test('is recognized although its nodes have a setting that is called app', async () => {
    const request = {
      type: 'http_request',
      method: 'POST',
      url: 'https://example.com',
      body: { app: { id: 1 } },
    }
    const workflow = { nodes: [{ id: 'send', type: 'tool', data: request }], edges: [] }
    for (const content of [{ format: 'banyan.workflow', format_version: 1, workflow }, workflow])
      assert.deepEqual((await stored((await dataOf(load(JSON.stringify(content)))).id)).config, workflow)
  })

  test('gets the name of the request, however the document is sent', async () => {
    const document = { format: 'banyan.workflow', name: 'Theirs', workflow: { nodes: [], edges: [] } }
    const named = async (body: object): Promise<string> =>
      (await stored((await dataOf(api.post('workflow/import', body))).id)).name
    for (const body of [{ document }, { content: JSON.stringify(document) }]) {
      assert.equal(await named(body), 'Theirs')
      assert.equal(await named({ ...body, name: 'Mine' }), 'Mine')
    }
    assert.equal(await named({ ...document, name: 'Mine' }), 'Mine')
  })
})

describe('a file that cannot be imported', () => {
  const cases: [name: string, content: string, more: object, expected: [number, string, RegExp]][] = [
    ['broken YAML', 'app:\n  name: "x\n', {}, [40001, '/content', /line \d+/]],
    [
      'an unknown version',
      appText('digest').replace('0.1.5', '9.0.0'),
      {},
      [40001, '/content', /version "9\.0\.0"/],
    ],
    ['something else', 'hello', {}, [40001, '/content', /neither an exported workflow/]],
    ['a JSON that is cut off', '{"workflow":{"nodes":[', {}, [40001, '/content', /not valid JSON/]],
    [
      'a wrong format',
      appText('digest'),
      { format: 'banyan.workflow' },
      [40001, '/content', /not valid JSON/],
    ],
    ['an unknown format', appText('digest'), { format: 'n8n' }, [40001, '/format', /must be/]],
    [
      'a long one',
      `app: ${'x'.repeat(limits.importLength)}`,
      {},
      [41301, '/content', /more than 1000000 characters/],
    ],
  ]
  for (const [name, content, more, expected] of cases)
    test(`(${name}) stores nothing`, async () => {
      const before = [await count('workflow'), await count('agent')]
      assertRefused(await load(content, more), ...expected)
      assert.deepEqual([await count('workflow'), await count('agent')], before)
    })

  test('(50 MB) is refused by its size', async () => {
    const answer = await load('x'.repeat(50 << 20))
    assert.equal(answer.json.code, 41301)
  })

  test('(an id that exists) stores no inner workflow either', async () => {
    await dataOf(load(appText('digest'), { id: 'taken' }))
    const before = await count('workflow')
    assertRefused(
      await load(appText('digest'), { id: 'taken' }),
      40903,
      '/id',
      /The workflow taken already exists/,
    )
    assert.equal(await count('workflow'), before)
  })

  test('(text that no database can store) stores nothing', async () => {
    const before = await count('workflow')
    const content = appText('concierge').replace('Knows the town', '"\\ud800"')
    assertRefused(await load(content), 40001, '/content', /surrogate pair/)
    assert.equal(await count('workflow'), before)
  })
})
