import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, llm, output } from '../support/run-graphs.ts'
import { type SinkServer, startSinkServer } from '../support/sink-server.ts'
import { makeAgent, runWorkflow } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

let server: TestServer
let sink: SinkServer
let api: ApiClient
let viewer: ApiClient

before(async () => {
  sink = await startSinkServer()
  server = await startTestServer({ DEMO: 'off', EGRESS_ALLOW: '127.0.0.1' })
  api = server.api
  viewer = api.as((await dataOf(api.post('token/create', { name: 'viewer', role: 'viewer' }))).token)
})
after(async () => {
  await server.stop()
  await sink.stop()
})

/** With a dot, which no generated id has. */
const literals = /K[1-5]\./
const credentials = () =>
  chain(
    node('call', 'http_request', {
      url: `${sink.origin}/?api_key=K1.query`,
      headers: { Authorization: 'Bearer K2.header', Accept: 'application/json' },
    }),
    node('tool', 'mcp', {
      url: 'https://mcp.example',
      tool: 'x',
      headers: { 'X-Key': 'K3.mcp' },
      on_error: 'skip',
    }),
    llm('model', 'x', {
      on_error: 'skip',
      '数据源/API工具': [
        { type: 'http', url: 'https://ada:K4.password@e.example/', headers: { 'X-Session': 'K5.tool' } },
      ],
    }),
    output('say', '{{#call.status#}}'),
  )

const stored = async (id: string): Promise<void> => {
  await dataOf(api.post('workflow/update', { id, workflow: credentials() }))
}

test('warns of literal credentials when a graph is stored', async () => {
  const { warnings } = await dataOf(api.post('workflow/update', { id: 'warned', workflow: credentials() }))
  const found = warnings.filter(({ rule }: { rule: string }) => rule === 'credential_in_graph')
  assert.deepEqual(
    found.map(({ path }: { path: string }) => path),
    [
      '/workflow/nodes/1/data/url',
      '/workflow/nodes/1/data/headers/Authorization',
      '/workflow/nodes/2/data/headers/X-Key',
      '/workflow/nodes/3/data/数据源~1API工具/0/url',
      '/workflow/nodes/3/data/数据源~1API工具/0/headers/X-Session',
    ],
  )
  for (const { message, blocking } of found) {
    assert.match(message, /secret\/set.*\{\{#secret\.name#\}\}/)
    assert.doesNotMatch(message, literals)
    assert.equal(blocking, false)
  }
})

test('shows masks instead of literal credentials to viewers', async () => {
  await stored('masked')
  for (let time = 0; time < 3; time += 1) {
    const seen = await viewer.get('workflow?id=masked')
    assert.doesNotMatch(seen.text, literals)
    const nodes = seen.json.data.workflow.config.nodes
    assert.equal(nodes[1].data.url, `${sink.origin}/?api_key=•••`)
    assert.deepEqual(nodes[1].data.headers, { Authorization: '•••', Accept: 'application/json' })
    // The same cached answer must not reach the other role.
    const whole = await api.get('workflow?id=masked')
    assert.equal(JSON.stringify(whole.json.data.workflow.config), JSON.stringify(credentials()))
    assert.notEqual(whole.headers.get('etag'), seen.headers.get('etag'))
    const tag = whole.headers.get('etag')!
    assert.equal((await viewer.get('workflow?id=masked', { headers: { 'if-none-match': tag } })).status, 200)
  }
  for (const answer of [
    await viewer.get('workflow/version?id=masked&version=1'),
    await viewer.post('workflow/export', { id: 'masked' }),
    await viewer.post('workflow/export', { id: 'masked', version: 1 }),
    await viewer.post('workflow/check', { id: 'masked', outline: true }),
    await viewer.post('workflow/list', {}),
    await viewer.get('workflow/versions?id=masked'),
  ]) {
    assert.equal(answer.status, 200, answer.text)
    assert.doesNotMatch(answer.text, literals)
  }
  const version = await api.get('workflow/version?id=masked&version=1')
  assert.equal(JSON.stringify(version.json.data.config), JSON.stringify(credentials()))
})

test('exports references instead of literal credentials, for every role', async () => {
  await stored('exported')
  const { document } = await dataOf(api.post('workflow/export', { id: 'exported' }))
  assert.doesNotMatch(JSON.stringify(document), literals)
  const [, call, tool, model] = document.workflow.nodes
  assert.equal(call.data.url, `${sink.origin}/?api_key={{#secret.call_api_key#}}`)
  assert.equal(call.data.headers.Authorization, 'Bearer {{#secret.call_authorization#}}')
  assert.equal(tool.data.headers['X-Key'], '{{#secret.tool_x_key#}}')
  assert.equal(model.data['数据源/API工具'][0].headers['X-Session'], '{{#secret.model_x_session#}}')
  const { warnings } = await dataOf(api.post('workflow/import', { document }))
  assert.deepEqual([...new Set(warnings.map(({ rule }: { rule: string }) => rule))], ['secret_unknown'])
})

test('exports different credentials under different names of secrets', async () => {
  const send = (id: string, key: string) => ({
    ...{ id, type: 'tool' },
    data: { type: 'http_request', method: 'GET', url: sink.origin, headers: { Authorization: key } },
  })
  const long = 'n'.repeat(80)
  const nodes = [
    send('1', 'Bearer one'),
    send('节点', 'Bearer two'),
    send('2', 'Bearer one'),
    send(`${long}1`, 'Bearer three'),
    send(`${long}2`, 'Bearer four'),
    send('used', 'Bearer {{#secret.own_password#}}'),
    { id: 'own', type: 'tool', data: { type: 'http_request', url: 'https://u:a@example.com/?password=b' } },
  ]
  await dataOf(api.post('workflow/update', { id: 'alike', workflow: { nodes, edges: [] } }))
  const { document } = await dataOf(api.post('workflow/export', { id: 'alike' }))
  const data = document.workflow.nodes.map((node: { data: object }) => node.data)
  const names = data
    .slice(0, 5)
    .map((each: { headers: { Authorization: string } }) =>
      each.headers.Authorization.replace(/^Bearer \{\{#secret\.(.*)#\}\}$/, '$1'),
    )
  const n = (count: number) => 'n'.repeat(count)
  assert.deepEqual(names, ['authorization', 'authorization_2', 'authorization', n(64), `${n(56)}_2`])
  assert.equal(
    data[6].url,
    'https://{{#secret.own_password_2#}}@example.com/?password={{#secret.own_password_3#}}',
  )
})

test('does not store a mask in the place of a credential', async () => {
  await stored('kept')
  const { json } = await viewer.get('workflow?id=kept')
  const { config } = json.data.workflow
  const refused = await api.post('workflow/update', { id: 'kept', workflow: config })
  assert.equal(refused.json.code, 42201)
  assert.equal(refused.json.data.errors[0].path, '/workflow/nodes/1/data/url')
  assert.match(refused.json.data.errors[1].message, /mask •••.*secret/)
  assert.equal((await api.get('workflow?id=kept')).json.data.workflow.version, 1)
  // What a viewer sees can still be checked.
  assert.equal((await viewer.post('workflow/check', { workflow: config })).json.data.errors.length, 0)
})

test('shows no credential in the trace of a run', async () => {
  await stored('traced')
  const { run_id } = await runWorkflow(api, 'traced', 'go')
  assert.equal(sink.received.at(-1)?.headers.authorization, 'Bearer K2.header')
  for (const path of [`workflow/runs/${run_id}`, 'workflow/runs'])
    assert.doesNotMatch((await viewer.get(path)).text, literals)
})

test('treats the tools of an agent in the same way', async () => {
  const tools = {
    crm: {
      running_config: {
        type: 'http',
        url: 'https://e.example/?token=K1.url',
        headers: { 'X-Token': 'K2.a' },
      },
    },
  }
  const id = await makeAgent(api, { tools })
  const seen = await viewer.post('agent/gets', { id: [id] })
  assert.doesNotMatch(seen.text, literals)
  const { config } = seen.json.data.agents[id].data
  assert.equal(config.tools.crm.running_config.url, 'https://e.example/?token=•••')
  const refused = await api.post('agent/update', { id, config })
  assert.equal(refused.json.code, 40001)
  assert.match(refused.json.data.errors[0].path, /^\/config\/tools\/crm\/running_config\//)
  const whole = await api.post('agent/gets', { id: [id] })
  assert.deepEqual(whole.json.data.agents[id].data.config.tools, tools)
  const { warnings } = await dataOf(api.post('agent/update', { id, intro: 'x' }))
  assert.deepEqual(
    warnings.map(({ path }: { path: string }) => path),
    ['/config/tools/crm', '/config/tools/crm'],
  )
})
