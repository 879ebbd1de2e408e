import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import type { GraphNode } from '../../src/workflow/graph.ts'
import type { ApiClient } from '../support/api-client.ts'
import { openEvents } from '../support/event-reader.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, llm, output } from '../support/run-graphs.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { ScriptedToolServer } from '../support/scripted-tool-server.ts'
import { type SinkServer, startSinkServer } from '../support/sink-server.ts'
import { makeAgent, makeWorkflow, openTalk, runWorkflow, say } from '../support/talk.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

const key = 'crm "key"/with+marks&0123456789'
const token = 'tool-token-9876543210'

let model: ScriptedModel
let sink: SinkServer
let tools: ScriptedToolServer
let server: TestServer
let api: ApiClient
/** Every response of the API: none may hold a secret. */
const seen: string[] = []

before(async () => {
  model = await startScriptedModel()
  sink = await startSinkServer()
  tools = await new ScriptedToolServer({
    tools: [{ name: 'weather', description: 'Tells the weather', inputSchema: { type: 'object' } }],
    call: (_, args, headers) => ({
      content: [{ type: 'text', text: JSON.stringify({ args, sent: headers['x-token'] }) }],
    }),
  }).start()
  server = await startTestServer({
    ...model.environment,
    DEMO: 'off',
    SECRET_KEY: 'sealing-key-of-the-tests',
  })
  api = server.api
  await dataOf(api.post('secret/set', { name: 'crm', value: key }))
  await dataOf(api.post('secret/set', { name: 'tool-token', value: token }))
})
after(async () => {
  await server.stop()
  await tools.close()
  await sink.stop()
  await model.stop()
})
beforeEach(() => {
  model.reset()
  sink.received.length = 0
  // A server that sends back whatever it receives, also as an error.
  sink.answer(({ path, headers, body }) => ({
    status: path.includes('fail') ? 400 : 200,
    headers: { 'x-echo': String(headers['authorization'] ?? '') },
    json: { path, headers, body, [String(headers['authorization'])]: true },
  }))
})

const request = (data: object): GraphNode => node('call', 'http_request', { method: 'POST', ...data })

async function look(...paths: string[]): Promise<void> {
  for (const path of paths) seen.push((await api.get(path)).text)
}

/** Everything that a run leaves behind. */
async function runOnce(between: GraphNode[], query = 'go') {
  const id = await makeWorkflow(api, chain(...between))
  const result = await runWorkflow(api, id, query)
  seen.push(JSON.stringify(result))
  await look(`workflow/runs/${result.run_id}`, `workflow?id=${id}`, 'workflow/runs')
  const events = await openEvents(server.base, `workflow/runs/${result.run_id}/events`, {
    token: operatorToken,
  })
  await events.rest()
  seen.push(events.text())
  return result
}

const roleToken = async (role: string, more: object = {}): Promise<ApiClient> =>
  api.as((await dataOf(api.post('token/create', { name: role, role, ...more }))).token)

test('stores, replaces, lists and deletes secrets without ever returning a value', async () => {
  const editor = await roleToken('editor')
  const made = await dataOf(editor.post('secret/set', { name: 'passing', value: 'first-value' }))
  assert.equal(made.message, 'created')
  assert.equal(made.updated_by, 'editor')
  const again = await dataOf(api.post('secret/set', { name: 'passing', value: 'second-value' }))
  assert.equal(again.message, 'updated')
  assert.equal(again.created_at, made.created_at)
  const viewer = await roleToken('viewer')
  const listed = await viewer.post('secret/list', {})
  assert.deepEqual(
    listed.json.data.items.map((item: { name: string }) => item.name),
    ['crm', 'passing', 'tool-token'],
  )
  assert.deepEqual(Object.keys(listed.json.data.items[0]), [
    'name',
    'created_at',
    'updated_at',
    'updated_by',
    'problem',
  ])
  assert.doesNotMatch(listed.text, /-value|crm "key|sealed/)
  const runner = await roleToken('runner', { agent_ids: ['agent_x'] })
  for (const [caller, path, body] of [
    [viewer, 'secret/set', { name: 'passing', value: 'third-value' }],
    [viewer, 'secret/delete', { name: 'passing' }],
    [runner, 'secret/list', {}],
    [runner, 'secret/set', { name: 'passing', value: 'third-value' }],
  ] as const)
    assert.equal((await caller.post(path, body)).json.code, 40301, path)
  await dataOf(editor.post('secret/delete', { name: 'passing' }))
  assert.equal((await editor.post('secret/delete', { name: 'passing' })).json.code, 40401)
})

test('refuses names and values outside the limits, and too many secrets', async () => {
  for (const [body, path] of [
    [{ name: 'a.b', value: 'long enough' }, '/name'],
    [{ name: '1a', value: 'long enough' }, '/name'],
    [{ name: 'a'.repeat(65), value: 'long enough' }, '/name'],
    [{ name: 'short', value: '1234567' }, '/value'],
    [{ name: 'short', value: '   1234567   ' }, '/value'],
    [{ name: 'long', value: 'x'.repeat(limits.secretMaxLength + 1) }, '/value'],
  ] as const) {
    const { json } = await api.post('secret/set', body)
    assert.equal(json.code, 40001)
    assert.equal(json.data.errors[0].path, path)
  }
  const workspace = await dataOf(api.post('workspace/create', { name: 'many secrets' }))
  const there = api.as(workspace.token)
  for (let count = 0; count < limits.secretsPerWorkspace; count += 1)
    await dataOf(there.post('secret/set', { name: `s${count}`, value: 'long enough' }))
  assert.match((await there.post('secret/set', { name: 'more', value: 'long enough' })).text, /limit of 200/)
  await dataOf(there.post('secret/set', { name: 's0', value: 'replaced value' }))
})

test('sends secrets in the URL, headers, query and body, and masks what the server sends back', async () => {
  const run = await runOnce([
    request({
      url: `${sink.origin}/{{#secret.tool-token#}}?a=1`,
      headers: { Authorization: 'Bearer {{#secret.tool-token#}}' },
      query: { key: '{{#secret.crm#}}' },
      body: { inside: ['{{#secret.crm#}}', '{{#sys.query#}}'] },
    }),
    output('say', '{{#call.text#}}'),
  ])
  assert.equal(run.status, 'succeeded', JSON.stringify(run))
  const [received] = sink.received
  assert.equal(new URL(received!.path, sink.origin).pathname, `/${token}`)
  assert.equal(new URL(received!.path, sink.origin).searchParams.get('key'), key)
  assert.equal(received?.headers.authorization, `Bearer ${token}`)
  assert.deepEqual(JSON.parse(received?.body ?? ''), { inside: [key, 'go'] })
  assert.match(run.answer, /Bearer •••/)
  const { nodes } = await dataOf(api.get(`workflow/runs/${run.run_id}`))
  const step = nodes.find((each: { node_id: string }) => each.node_id === 'call')
  assert.equal(step.inputs.url, `${sink.origin}/{{#secret.tool-token#}}?•••`)
  assert.equal(step.inputs['headers/Authorization'], '•••')
  assert.equal(step.inputs['body/inside/0'], '{{#secret.crm#}}')
  assert.equal(step.outputs.headers['x-echo'], 'Bearer •••')
})

test('masks a secret that is part of a path or a host', async () => {
  await dataOf(api.post('secret/set', { name: 'long', value: `Long "value"/${'Z'.repeat(200)}` }))
  const urls = [
    `${sink.origin}/{{#secret.long#}}`,
    'http://{{#secret.tool-token#}}-Host.example/',
    '{{#secret.long#}}',
  ]
  for (const url of urls) {
    const run = await runOnce([request({ url }), output('say', '{{#call.text#}}')])
    assert.doesNotMatch(JSON.stringify(run), /ZZZZ|zzzz|%22value/)
  }
})

test('masks a secret that comes back in Base64 or percent-encoded', async () => {
  const around = ['', 'a', 'ab', 'user:', 'some user:'].flatMap(before =>
    ['', '\n', ' and more'].map(behind => Buffer.from(`${before}${key}${behind}`)),
  )
  const encoded = around.flatMap(bytes => [
    bytes.toString('base64'),
    bytes.toString('base64url'),
    encodeURIComponent(bytes.toString('base64')),
    encodeURIComponent(String(bytes)).toLowerCase(),
  ])
  sink.answer(() => ({ json: encoded }))
  const run = await runOnce([
    request({ url: sink.origin, headers: { 'X-Key': '{{#secret.crm#}}' } }),
    output('say', '{{#call.text#}}'),
  ])
  const received: string[] = JSON.parse(run.answer)
  for (const [at, text] of received.entries()) {
    const decoded = Buffer.from(decodeURIComponent(text).replaceAll('•••', '    '), 'base64').toString(
      'latin1',
    )
    const plain = `${decodeURIComponent(text)} ${decoded}`
    assert.match(text, /•••/, encoded[at])
    for (let from = 0; from + 4 <= key.length; from++)
      assert.ok(!plain.includes(key.slice(from, from + 4)), `${encoded[at]} became ${text}`)
  }
})

test('masks a secret in JSON that comes back as a text in JSON', async () => {
  const run = await runOnce([
    request({ url: sink.origin, body: { key: '{{#secret.crm#}}' } }),
    output('say', '{{#call.text#}}'),
  ])
  assert.deepEqual(JSON.parse(JSON.parse(run.answer).body), { key: '•••' })
})

test('escapes a secret inside a body that is JSON text', async () => {
  await runOnce([
    request({ url: `${sink.origin}/`, body: '{"key": "{{#secret.crm#}}"}' }),
    output('say', '{{#call.text#}}'),
  ])
  assert.deepEqual(JSON.parse(sink.received[0]?.body ?? ''), { key })
})

test('sends secrets to tools of a model, which sees neither them nor their echo', async () => {
  model.play(({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? { text: JSON.stringify(messages) }
      : {
          toolCalls: [
            { name: 'crm', arguments: { id: '7' } },
            { name: 'weather', arguments: {} },
          ],
        },
  )
  const sources = [
    {
      type: 'http',
      name: 'crm',
      url: `${sink.origin}/{{#secret.tool-token#}}/{id}`,
      headers: { authorization: 'Bearer {{#secret.crm#}}' },
    },
    { type: 'mcp', url: tools.url, headers: { 'X-Token': '{{#secret.tool-token#}}' } },
  ]
  const run = await runOnce([
    llm('model', 'Use it', { '数据源/API工具': sources }),
    output('say', '{{#model.text#}}'),
  ])
  assert.equal(run.status, 'succeeded', JSON.stringify(run))
  assert.equal(sink.received[0]?.headers.authorization, `Bearer ${key}`)
  assert.equal(sink.received[0]?.path, `/${token}/7`)
  assert.ok(tools.received.some(({ headers }) => headers['x-token'] === token))
  assert.doesNotMatch(JSON.stringify(model.calls.chat), new RegExp(token))
  assert.ok(!JSON.stringify(model.calls.chat).includes('crm \\\\\\"key'))
  assert.match(run.answer, /•••/)
})

test('sends secrets to the tools of an agent, and to an MCP node', async () => {
  model.play(({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? { text: 'done' }
      : { toolCalls: [{ name: 'crm', arguments: {} }] },
  )
  const running_config = { type: 'http', url: sink.origin, headers: { 'X-Key': '{{#secret.tool-token#}}' } }
  const agent = await makeAgent(api, { tools: { crm: { running_config } } })
  seen.push(JSON.stringify(await say(api, await openTalk(api, agent), 'Go')))
  assert.equal(sink.received[0]?.headers['x-key'], token)
  const run = await runOnce([
    node('tool', 'mcp', {
      url: tools.url,
      tool: 'weather',
      headers: { 'X-Token': '{{#secret.tool-token#}}' },
      arguments: { key: '{{#secret.crm#}}' },
    }),
    output('say', '{{#tool.text#}}'),
  ])
  assert.match(run.answer, /•••/)
})

test('sends secrets from a workflow inside another, and masks its outputs', async () => {
  const inner = await makeWorkflow(
    api,
    chain(
      request({ url: sink.origin, headers: { 'X-Key': '{{#secret.tool-token#}}' } }),
      output('say', '{{#call.text#}}'),
    ),
  )
  const run = await runOnce([
    node('inner', 'workflow', { workflow_id: inner }),
    output('say', '{{#inner.text#}} {{#inner.result#}}'),
  ])
  assert.equal(run.status, 'succeeded', JSON.stringify(run))
  assert.equal(sink.received[0]?.headers['x-key'], token)
})

test('refuses secrets where a model or a user would see them', async () => {
  const places: [GraphNode, string][] = [
    [llm('model', '{{#secret.crm#}}'), '/workflow/nodes/1/data/prompt_template'],
    [llm('model', 'x', { system_prompt: '{{#secret.crm#}}' }), '/workflow/nodes/1/data/system_prompt'],
    [output('say', '{{#secret.crm#}}'), '/workflow/nodes/1/data/answer'],
    [node('text', 'template', { template: '{{#secret.crm#}}' }), '/workflow/nodes/1/data/template'],
    [
      request({ url: sink.origin, on_error: { default: { text: '{{#secret.crm#}}' } } }),
      '/workflow/nodes/1/data/on_error/default/text',
    ],
    [
      llm('model', 'x', {
        '数据源/API工具': [{ type: 'http', url: sink.origin, description: '{{#secret.crm#}}' }],
      }),
      '/workflow/nodes/1/data/数据源~1API工具/0/description',
    ],
  ]
  for (const [placed, path] of places) {
    const made = await dataOf(
      api.post('workflow/create', { workflow: chain(placed, output('end_say', 'x')) }),
    )
    const [warning] = made.warnings
    assert.equal(warning.rule, 'secret_not_allowed', path)
    assert.equal(warning.path, path)
    assert.equal(warning.blocking, true)
    assert.equal((await api.post('workflow/run', { id: made.id })).json.code, 42202)
    // A single node may run in a draft, but it does not get the value.
    const debugged = await api.post('workflow/debug', { id: made.id, node_id: placed.id })
    seen.push(debugged.text)
  }
  assert.ok(!JSON.stringify(model.calls.chat).includes('with+marks'))
  const agent = await dataOf(
    api.post('agent/create', {
      name: 'Teller',
      config: { character_profile: 'The key is {{#secret.crm#}}' },
    }),
  )
  assert.equal(agent.warnings[0].path, '/config/character_profile')
  const talk = await openTalk(api, agent.id)
  seen.push((await api.post('conversation/chat', { ...talk, data_type: 'text', content: 'Tell' })).text)
})

test('warns of an unknown secret, and a run fails with its name', async () => {
  const workflow = chain(
    request({ url: sink.origin, headers: { 'X-Key': '{{#secret.absent#}}' } }),
    output('say', 'x'),
  )
  const made = await dataOf(api.post('workflow/create', { workflow }))
  assert.deepEqual(
    made.warnings.map(({ rule, blocking }: { rule: string; blocking: boolean }) => [rule, blocking]),
    [['secret_unknown', false]],
  )
  const run = await runWorkflow(api, made.id, 'go')
  assert.equal(run.status, 'failed')
  assert.match(run.error.message, /no secret "absent".*secret\/set/)
  assert.equal(sink.received.length, 0)
  // A secret of another workspace is as unknown.
  const workspace = await dataOf(api.post('workspace/create', { name: 'neighbour' }))
  await dataOf(api.as(workspace.token).post('secret/set', { name: 'absent', value: 'of-the-neighbour' }))
  assert.equal((await runWorkflow(api, made.id, 'go')).status, 'failed')
})

test('masks secrets in the message of a failure', async () => {
  tools.faults.set('tools/call', [{ error: { code: 1, message: `bad key ${key}, ${token}` } }])
  const run = await runOnce([
    node('tool', 'mcp', {
      url: tools.url,
      tool: 'weather',
      headers: { 'X-Token': '{{#secret.tool-token#}}' },
      arguments: { key: '{{#secret.crm#}}' },
    }),
    output('say', 'x'),
  ])
  assert.equal(run.status, 'failed')
  assert.match(run.error.message, /bad key •••/)
})

test('warns of the secrets that an imported workflow would send', async () => {
  const workflow = chain(request({ url: 'https://elsewhere.example', body: '{{#secret.crm#}}' }))
  const { warnings } = await dataOf(api.post('workflow/import', { document: { workflow } }))
  assert.deepEqual(
    warnings.map(({ rule }: { rule: string }) => rule),
    ['secret_used'],
  )
})

test('leaves no value in any response, nor in the database', () => {
  const forms = [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key), token]
  for (const form of forms)
    for (const text of seen) assert.ok(!text.includes(form), `${form} in ${text.slice(0, 200)}`)
  if (server.config.databaseUrl !== undefined) return
  const files = readdirSync(server.config.dataDir).filter(name => name.startsWith('banyan.db'))
  assert.ok(files.length > 0)
  for (const file of files) {
    const bytes = readFileSync(join(server.config.dataDir, file))
    for (const form of forms) assert.equal(bytes.indexOf(form), -1, `${form} in ${file}`)
  }
})
