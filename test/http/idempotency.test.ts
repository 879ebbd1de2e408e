import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { openEvents } from '../support/event-reader.ts'
import { addTexts, dataOf } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeAgent, makeWorkflow } from '../support/talk.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'

const times = 50

let server: TestServer
let api: ApiClient
let hello: string
before(async () => {
  server = await startTestServer({ DEMO: 'off' })
  api = server.api
  hello = await makeWorkflow(api, chain(output('say', 'Hello {{#sys.query#}}')))
})
after(() => server.stop())

const atOnce = <Answer>(send: () => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: times }, send))

test('runs once for fifty concurrent requests with one key, and answers all of them alike', async () => {
  const body = { id: hello, inputs: { query: 'you' } }
  const answers = await atOnce(() =>
    api.post('workflow/run', body, { headers: { 'idempotency-key': 'storm' } }),
  )
  assert.deepEqual(new Set(answers.map(answer => answer.status)), new Set([200]))
  assert.equal(new Set(answers.map(answer => answer.text)).size, 1)
  assert.equal(answers[0]!.json.data.answer, 'Hello you')
  assert.equal((await dataOf(api.get(`workflow/runs?id=${hello}`))).total, 1)
})

test('streams one run to fifty concurrent requests with one key', async () => {
  const id = await makeWorkflow(api, chain(output('say', 'Streamed')))
  const options = {
    token: operatorToken,
    body: { id, inputs: {}, stream: 1 },
    headers: { 'idempotency-key': 'streams' },
  }
  const streams = await atOnce(async () => (await openEvents(server.base, 'workflow/run', options)).rest())
  const seen = streams.map(events => JSON.stringify(events.map(({ event, data }) => [event, data])))
  assert.equal(new Set(seen).size, 1)
  assert.equal(streams[0]!.at(-1)!.data.status, 'succeeded')
  assert.equal((await dataOf(api.get(`workflow/runs?id=${id}`))).total, 1)
})

test('executes every creating operation once for fifty concurrent requests with one key', async () => {
  const agent = await makeAgent(api, { workflow_id: hello })
  const base = (await dataOf(api.post('knowledge/create', { name: 'Storm' }))).knowledge_id
  const [document] = await addTexts(api, base, { 'c.txt': 'three' })
  const set = (await dataOf(api.post('test/create', { name: 'Storm', workflow_id: hello }))).id
  const { conversation_id: talk } = (await api.post('conversation/create', { agent_id: agent })).json
  await api.post('workflow/update', { id: hello, workflow: chain(output('say', 'Hi {{#sys.query#}}')) })
  const workflow = chain(output('say', 'x'))
  const requests: Record<string, object> = {
    'token/create': { name: 'stormy', role: 'viewer' },
    'workspace/create': { name: 'stormy' },
    'agent/create': { name: 'stormy', learn: { [base]: {}, kb_none: {} } },
    'conversation/create': { agent_id: agent },
    'knowledge/create': { name: 'stormy' },
    [`knowledge/${base}`]: {
      texts: [
        { name: 'a.txt', content: 'one' },
        { name: 'b.txt', content: 'two' },
      ],
    },
    'model/create': { name: 'stormy', base_url: 'https://example.org/v1', model: 'm' },
    'files/upload': { name: 'stormy.txt', content_base64: 'SGVsbG8=' },
    'workflow/create': { workflow },
    'workflow/update': { id: 'stormy', workflow },
    'workflow/import': { document: { workflow } },
    [`knowledge/${base}/files/${document}/chunks/create`]: { content: 'stormy' },
    [`knowledge/${base}/golden/create`]: { question: 'stormy', file_ids: [document] },
    'test/saveCase': { id: set, inputs: { query: 'stormy' } },
    'test/importCases': { id: set, format: 'jsonl', content: '{"query": "again"}' },
    'test/run': { id: set },
    [`knowledge/${base}/golden/import`]: { format: 'csv', content: 'question,document\nAgain?,c.txt\n' },
    [`knowledge/${base}/golden/run`]: {},
    'annotation/create': { agent_id: agent, question: 'Stormy?', answer: 'Yes.' },
    'annotation/import': { agent_id: agent, format: 'csv', content: 'question,answer\nCalm?,No.\n' },
    [`conversation/upload?agent_id=${agent}&conversation_id=${talk}`]: {
      name: 'stormy talk.txt',
      content_base64: 'SGVsbG8=',
    },
    'workflow/rollback': { id: hello, version: 1 },
  }
  for (const [path, body] of Object.entries(requests)) {
    const answers = await atOnce(() =>
      api.post(path, body, { headers: { 'idempotency-key': `storm ${path}`.replaceAll(/[ /]/g, '-') } }),
    )
    const codes = new Set(answers.map(answer => `${answer.status} ${answer.json.code}`))
    assert.deepEqual(codes, new Set(['200 0']), path)
    assert.equal(new Set(answers.map(answer => answer.text)).size, 1, path)
    const fresh = answers.filter(answer => !answer.headers.has('idempotency-replayed'))
    assert.equal(fresh.length, 1, path)
  }
  const total = async (path: string, body = {}): Promise<number> => (await dataOf(api.post(path, body))).total
  assert.equal(await total('agent/list', { keyword: 'stormy' }), 1)
  assert.equal(await total('files', { keyword: 'stormy' }), 2)
  assert.equal(await total('files', { keyword: '.txt' }), 5)
  assert.equal(await total('workflow/list'), 5)
  assert.equal((await dataOf(api.get(`knowledge/${base}/files`))).total, 3)
  assert.equal((await dataOf(api.get(`knowledge/${base}/files/${document}/chunks`))).total, 2)
  assert.equal((await dataOf(api.get(`knowledge/${base}/golden`))).total, 2)
  assert.equal((await dataOf(api.get(`knowledge/${base}/golden/runs`))).total, 1)
  assert.equal(await total('test/cases', { id: set }), 2)
  assert.equal(await total('test/runs', { id: set }), 1)
})

test('repeats a run once for fifty concurrent requests with one key', async () => {
  const id = await makeWorkflow(api, chain(output('say', 'Again')))
  const runIds: string[] = []
  for (const _ of [1, 2]) runIds.push((await dataOf(api.post('workflow/run', { id }))).run_id)
  const again = (of: string, body = {}): Promise<ApiAnswer> =>
    api.post(`workflow/runs/${of}/rerun`, body, { headers: { 'idempotency-key': 'rerun' } })
  const answers = await atOnce(() => again(runIds[0]!))
  assert.deepEqual(new Set(answers.map(answer => answer.status)), new Set([200]))
  assert.equal(new Set(answers.map(answer => answer.json.data.run_id)).size, 1)
  assert.equal((await dataOf(api.get(`workflow/runs?id=${id}`))).total, 3)
  assert.equal((await again(runIds[1]!)).json.code, 40901)
  assert.equal((await again(runIds[0]!, { inputs: { query: 'other' } })).json.code, 40901)
})

test('frees the key of a request that failed', async () => {
  const headers = { 'idempotency-key': 'twice' }
  const create = (name: string): Promise<ApiAnswer> => api.post('workspace/create', { name }, { headers })
  await api.post('workspace/create', { name: 'taken' })
  const taken = await create('taken')
  assert.equal(taken.json.code, 40903)
  assert.equal((await create('free')).json.code, 0)
  assert.equal((await create('other')).json.code, 40901)
})
