import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, llm } from '../support/run-graphs.ts'
import type { ChatBody } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { ScriptedToolServer } from '../support/scripted-tool-server.ts'
import { type SinkServer, startSinkServer } from '../support/sink-server.ts'
import { makeAgent, makeWorkflow, openTalk, say } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

type Data = ApiAnswer['json']

let model: ScriptedModel
let server: TestServer
let sink: SinkServer
let tools: ScriptedToolServer
let api: ApiClient

before(async () => {
  model = await startScriptedModel()
  sink = await startSinkServer()
  tools = await new ScriptedToolServer({
    tools: ['weather', 'forget'].map(name => ({ name, description: name, inputSchema: { type: 'object' } })),
    call: (_, { city }) => ({ content: [{ type: 'text', text: `rain in ${city}` }] }),
  }).start()
  server = await startTestServer({ ...model.environment, SECRET_KEY: 'k'.repeat(32), DEMO: 'off' })
  api = server.api
})
after(async () => {
  await server.stop()
  await tools.close()
  await sink.stop()
  await model.stop()
})
beforeEach(() => model.reset())

const create = (tool: object): Promise<Data> => dataOf(api.post('tool/create', tool))
const errorOf = async (path: string, body: object): Promise<[number, string]> => {
  const { status, json } = await api.post(path, body)
  return [status, json.data?.errors?.[0]?.path ?? json.message]
}
const reference = (id: string, more: object = {}) => ({ type: 'tool', id, ...more })

/** The model calls a tool once, then replies with its result. */
function useOnce(name: string, args: object): void {
  model.play((body: ChatBody) => {
    const result = body.messages.find(({ role }) => role === 'tool')
    return result ? { text: `I was told: ${result.content}` } : { toolCalls: [{ name, arguments: args }] }
  })
}

const askAgent = async (tool: object): Promise<string> => {
  const agent = await makeAgent(api, { tools: { any: { running_config: tool } } })
  return (await say(api, await openTalk(api, agent), 'Use it')).feedback[0].content
}

describe('the list of shared tools', () => {
  test('keeps, changes, finds and deletes a tool', async () => {
    const made = await create({ name: 'orders', type: 'http', url: 'https://shop.example.com/orders/{id}' })
    const { id, created_at, updated_at, updated_by, ...rest } = made
    assert.match(id, /^tool_/)
    assert.equal(created_at, updated_at)
    assert.equal(typeof updated_by, 'string')
    assert.deepEqual(rest, {
      ...{ name: 'orders', type: 'http', url: 'https://shop.example.com/orders/{id}', description: '' },
      ...{ method: 'GET', headers: {}, oauth: null, places: {}, tools: [] },
      parameters: { type: 'object', properties: {} },
    })
    const changed = await dataOf(
      api.post('tool/update', { id, name: 'shop_orders', description: 'Our Orders' }),
    )
    assert.deepEqual(
      [changed.name, changed.description, changed.url],
      ['shop_orders', 'Our Orders', made.url],
    )
    assert.deepEqual(await dataOf(api.post('tool/get', { id })), changed)
    const named = async (keyword: string) =>
      (await dataOf(api.post('tool/list', { keyword }))).items.map((tool: Data) => tool.id)
    assert.deepEqual(await named('our orders'), [id])
    assert.deepEqual(await named('SHOP_o'), [id])
    assert.deepEqual(await named('100%'), [])
    await dataOf(api.post('tool/delete', { id }))
    assert.equal((await api.post('tool/get', { id })).status, 404)
    assert.equal((await api.post('tool/delete', { id })).status, 404)
  })

  test('refuses a name twice, also when both are sent at once', async () => {
    const tool = { name: 'twice', type: 'mcp', url: 'https://tools.example.com/mcp' }
    const both = await Promise.all([api.post('tool/create', tool), api.post('tool/create', tool)])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
    const { id } = await create({ ...tool, name: 'once' })
    assert.deepEqual(await errorOf('tool/update', { id, name: 'twice' }), [409, '/name'])
  })

  test('refuses literal credentials, and settings that a tool cannot use', async () => {
    const tool = { name: 'bad', type: 'http', url: 'https://example.com/' }
    const refused = (more: object) => errorOf('tool/create', { ...tool, ...more })
    assert.deepEqual(await refused({ headers: { Authorization: 'Bearer abc123' } }), [
      400,
      '/headers/Authorization',
    ])
    assert.deepEqual(await refused({ url: 'https://example.com/?api_key=12345' }), [400, '/url'])
    assert.deepEqual(await refused({ url: 'https://{host}/' }), [400, '/url'])
    assert.deepEqual(await refused({ url: 'example.com' }), [400, '/url'])
    assert.deepEqual(await refused({ url: 'https://example.com/{{#llm.text#}}' }), [400, '/url'])
    assert.deepEqual(await refused({ description: 'Uses {{#secret.key#}}' }), [400, '/description'])
    assert.deepEqual(await refused({ name: 'no spaces' }), [400, '/name'])
    const long = { type: 'object', properties: { a: { description: 'x'.repeat(100_000) } } }
    assert.deepEqual(await refused({ parameters: long }), [400, '/parameters'])
  })

  test('hides from viewers what may be a credential', async () => {
    const { id } = await create({
      ...{ name: 'traced', type: 'http', url: 'https://example.com/' },
      headers: { 'X-Tenant': 'acme', accept: 'text/plain' },
    })
    const { token } = await dataOf(api.post('token/create', { name: 'v', role: 'viewer' }))
    const { headers } = await dataOf(api.as(token).post('tool/get', { id }))
    assert.deepEqual(headers, { 'X-Tenant': '•••', accept: 'text/plain' })
    assert.equal((await api.as(token).post('tool/delete', { id })).status, 403)
  })
})

describe('what refers to a shared tool', () => {
  test('an agent calls an HTTP tool with its secret', async () => {
    await dataOf(api.post('secret/set', { name: 'shop_key', value: 'very-private' }))
    const { id } = await create({
      ...{ name: 'order', type: 'http', method: 'POST', url: `${sink.origin}/orders/{id}` },
      headers: { Authorization: 'Bearer {{#secret.shop_key#}}' },
      parameters: { type: 'object', properties: { id: { type: 'string' }, full: { type: 'boolean' } } },
      places: { full: 'query' },
    })
    useOnce('order', { id: 'a/1', full: true, note: 'x' })
    sink.answer(({ headers }) => ({ json: { sent: headers['authorization'] } }))
    assert.equal(await askAgent(reference(id)), 'I was told: {"sent":"Bearer •••"}')
    const { path, body } = sink.received.at(-1)!
    assert.deepEqual([path, JSON.parse(body)], ['/orders/a%2F1?full=true', { note: 'x' }])
    assert.deepEqual(
      model.calls.chat[0]!.body.tools!.map(tool => tool.function.name),
      ['order'],
      'the model sees the name of the shared tool',
    )
  })

  test('an agent may choose among the tools of a shared MCP server', async () => {
    const { id } = await create({ name: 'outside', type: 'mcp', url: tools.url })
    useOnce('weather', { city: 'Bergen' })
    assert.equal(await askAgent(reference(id, { tools: ['weather'] })), 'I was told: rain in Bergen')
    assert.equal(model.calls.chat[0]!.body.tools!.length, 1)
    model.reset()
    useOnce('weather', { city: 'Oslo' })
    assert.equal(await askAgent(reference(id)), 'I was told: rain in Oslo')
    assert.equal(model.calls.chat[0]!.body.tools!.length, 2)
  })

  test('an http_request node takes everything but its arguments from the tool', async () => {
    await dataOf(api.post('secret/set', { name: 'node_key', value: 'quite-private' }))
    const { id } = await create({
      ...{ name: 'node_order', type: 'http', method: 'POST', url: `${sink.origin}/node/{id}` },
      headers: { Authorization: 'Bearer {{#secret.node_key#}}' },
      parameters: { type: 'object', properties: { id: { type: 'string' }, size: { default: 'm' } } },
    })
    sink.answer(({ headers }) => ({ json: { sent: headers['authorization'] } }))
    const graph = chain(node('order', 'http_request', { tool_id: id, arguments: { id: '{{#sys.query#}}' } }))
    const check = await dataOf(api.post('workflow/check', { workflow: graph }))
    assert.deepEqual([check.runnable, check.warnings], [true, []], 'it needs no URL of its own')
    const workflow = await makeWorkflow(api, graph)
    const run = await dataOf(api.post('workflow/run', { id: workflow, inputs: { query: 'a/1' } }))
    assert.equal(run.status, 'succeeded', JSON.stringify(run.error))
    assert.deepEqual(run.outputs.result, { sent: 'Bearer •••' })
    const { method, path, body, headers } = sink.received.at(-1)!
    assert.deepEqual([method, path, JSON.parse(body)], ['POST', '/node/a%2F1', { size: 'm' }])
    assert.equal(headers['authorization'], 'Bearer quite-private')
    assert.ok(headers['idempotency-key'])
    const { items } = await dataOf(api.get(`tool/used_by?id=${id}`))
    assert.deepEqual(
      items.map((user: Data) => user.id),
      [workflow],
    )
    await dataOf(api.post('tool/delete', { id, force: true }))
    const { runnable, warnings } = await dataOf(api.post('workflow/check', { workflow: graph }))
    assert.equal(runnable, false)
    assert.deepEqual(
      warnings.map(({ rule, path }: Data) => [rule, path]),
      [['tool_unknown', '/workflow/nodes/1/data/tool_id']],
    )
  })

  test('an mcp node takes the server from the tool, which must be of its type', async () => {
    const { id } = await create({ name: 'node_server', type: 'mcp', url: tools.url, tools: ['weather'] })
    const runOf = async (kind: string, data: object) => {
      const graph = chain(node('call', kind, { tool_id: id, ...data }))
      const workflow = await makeWorkflow(api, graph)
      return dataOf(api.post('workflow/run', { id: workflow, inputs: { query: 'Bergen' } }))
    }
    const args = { arguments: { city: '{{#sys.query#}}' } }
    const run = await runOf('mcp', { tool: 'weather', ...args })
    assert.equal(run.outputs.text, 'rain in Bergen', JSON.stringify(run.error))
    const other = await runOf('mcp', { tool: 'forget', ...args })
    assert.match(other.error.message, /The shared tool "node_server" does not offer "forget"/)
    const wrong = await runOf('http_request', args)
    assert.match(wrong.error.message, /"node_server" is not for this kind of node: call it with an MCP tool/)
    const { id: http } = await create({ name: 'node_http', type: 'http', url: `${sink.origin}/x` })
    const warningsOf = async (kind: string, data: object): Promise<unknown> => {
      const workflow = chain(node('call', kind, { tool: 'weather', ...data }))
      const saved = await dataOf(api.post('workflow/update', { id: 'wrong_tool', workflow }))
      return saved.warnings.map((warning: Data) => [warning.rule, warning.path, warning.blocking])
    }
    const found = [['tool_wrong_type', '/workflow/nodes/1/data/tool_id', true]]
    assert.deepEqual(await warningsOf('http_request', { tool_id: id }), found)
    assert.deepEqual(await warningsOf('mcp', { tool_id: http }), found)
    assert.deepEqual(await warningsOf('mcp', { tool_id: http, disabled: true }), [])
    assert.deepEqual(await warningsOf('mcp', { tool_id: id }), [])
  })

  test('is listed, keeps the tool from being deleted, and learns of a deletion by force', async () => {
    const { id } = await create({ name: 'used', type: 'http', url: `${sink.origin}/used` })
    const graph = chain(llm('think', '{{#sys.query#}}', { '数据源/API工具': [reference(id)] }))
    const workflow = await makeWorkflow(api, graph)
    const agent = await makeAgent(api, { tools: { used: { running_config: reference(id) } } })
    const { items } = await dataOf(api.get(`tool/used_by?id=${id}`))
    assert.deepEqual(
      items.map((user: Data) => [user.kind, user.id]),
      [
        ['agent', agent],
        ['workflow', workflow],
      ],
    )
    const check = () => dataOf(api.post('workflow/check', { workflow: graph }))
    assert.deepEqual((await check()).warnings, [])
    const [status, message] = await errorOf('tool/delete', { id })
    assert.equal(status, 409)
    assert.match(message, /used by agent ".*", workflow ".*"; remove it there first/)
    await dataOf(api.post('tool/update', { id, name: 'renamed' }))
    assert.deepEqual((await check()).warnings, [], 'a new name changes nothing')

    await dataOf(api.post('tool/delete', { id, force: true }))
    const { runnable, warnings } = await check()
    assert.equal(runnable, false)
    assert.deepEqual(
      warnings.map(({ rule, path }: Data) => [rule, path]),
      [['tool_unknown', '/workflow/nodes/1/data/数据源~1API工具/0/id']],
    )
    const changed = await dataOf(api.post('agent/update', { id: agent, intro: 'x' }))
    assert.deepEqual(
      changed.warnings.map(({ path }: Data) => path),
      ['/config/tools/used'],
    )
    const run = await dataOf(api.post('workflow/run', { id: workflow, inputs: { query: 'x' } }))
    assert.equal(run.status, 'failed')
    assert.match(run.error.message, /There is no shared tool "tool_/)
  })
})

describe('a trial', () => {
  const attempt = (body: object): Promise<Data> => dataOf(api.post('tool/try', body))

  test('calls an HTTP tool that is not stored, and masks secrets', async () => {
    await dataOf(api.post('secret/set', { name: 'try_key', value: 'very-private' }))
    sink.answer(({ headers }) => ({ status: 404, json: { got: headers['x-key'] } }))
    const tool = {
      ...{ type: 'http', method: 'POST', url: `${sink.origin}/try/{id}` },
      headers: { 'X-Key': '{{#secret.try_key#}}', 'Content-Type': 'application/x-www-form-urlencoded' },
      parameters: { type: 'object', properties: { size: { default: 5 } } },
    }
    const { request, answer, error, elapsed_ms } = await attempt({
      ...tool,
      arguments: { id: 'a b', tags: [1, 2] },
    })
    assert.deepEqual(request, {
      ...{ method: 'POST', url: `${sink.origin}/try/a%20b`, body: 'size=5&tags=1&tags=2' },
      headers: { 'x-key': '•••', 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.deepEqual(
      [answer.status, answer.text, answer.truncated, error],
      [404, '{"got":"•••"}', false, null],
    )
    assert.equal(typeof elapsed_ms, 'number')
    const missing = await attempt({ ...tool, arguments: {} })
    assert.deepEqual([missing.error, missing.answer.status], ['The argument "id" is missing.', null])
  })

  test('calls a stored tool, and a tool of an MCP server', async () => {
    const { id } = await create({ name: 'tried', type: 'http', url: `${sink.origin}/stored` })
    sink.answer(() => ({ json: { text: 'x'.repeat(60_000) } }))
    const { answer } = await attempt({ id })
    assert.deepEqual([answer.status, answer.text.length, answer.truncated], [200, 50_000, true])
    const server = { type: 'mcp', url: tools.url }
    const called = await attempt({ ...server, tool: 'weather', arguments: { city: 'Rome' } })
    assert.deepEqual([called.answer.text, called.error], ['rain in Rome', null])
    assert.deepEqual(await errorOf('tool/try', server), [400, '/tool'])
    assert.deepEqual(await errorOf('tool/try', { url: tools.url }), [400, '/type'])
  })

  test('reports why there is no answer', async () => {
    const reason = async (body: object) => (await attempt({ type: 'http', ...body })).error
    assert.match(await reason({ url: 'http://10.0.0.1/' }), /may not be called/)
    assert.match(await reason({ url: 'http://127.0.0.1:9/' }), /could not be reached/)
    assert.match(await reason({ url: 'https://example.com/{{#secret.none#}}' }), /no secret "none"/)
  })
})

test('reads tools from a curl command without storing anything', async () => {
  await dataOf(api.post('secret/set', { name: 'example_token', value: 'another-key' }))
  const content = "curl https://example.com/weather?city=Paris -H 'Authorization: Bearer abcdefgh'"
  const { tools: read, secrets } = await dataOf(api.post('tool/import', { content }))
  assert.deepEqual(secrets, [{ name: 'example_token', value: 'abcdefgh', exists: true }])
  const { notes, ...tool } = read[0]
  assert.deepEqual(notes, [])
  const made = await create({ type: 'http', ...tool })
  assert.equal(made.headers.authorization, 'Bearer {{#secret.example_token#}}')
  assert.deepEqual(await errorOf('tool/import', { content: 'wget x' }), [400, '/content'])
})
