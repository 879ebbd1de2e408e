import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { limits } from '../../src/contract/limits.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { addTexts, dataOf, makeBase } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { makeAgent, makeWorkflow } from '../support/talk.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'
import { runConformance } from './support/conformance.ts'

type Data = ApiAnswer['json']

let model: ScriptedModel
let server: TestServer
let api: ApiClient
const open: Client[] = []

before(async () => {
  model = await startScriptedModel()
  server = await startTestServer({ ...model.environment, DEMO: 'off' })
  api = server.api
})
after(async () => {
  await Promise.all(open.map(client => client.close()))
  await server.stop()
  await model.stop()
})
beforeEach(() => model.reset())

async function connect(token = operatorToken): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.base}/mcp`), { requestInit }))
  open.push(client)
  return client
}

const tokenOf = async (role: string, more: object = {}): Promise<string> =>
  (await dataOf(api.post('token/create', { name: `a ${role}`, role, ...more }))).token

const namesOf = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name).sort()

const call = async (
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<CallToolResult> => (await client.callTool({ name, arguments: args })) as CallToolResult

const textOf = ({ content }: CallToolResult): string => (content[0] as { text: string }).text

describe('the MCP server, with the client of the SDK', () => {
  it('offers tools by the rights of the token', async () => {
    const first = await makeAgent(api, {}, { name: 'Café helper', intro: 'Knows the menu.' })
    await makeAgent(api, {}, { name: '客服' })
    const id = await makeWorkflow(api, chain(output('say', 'done')))
    const editor = await connect(await tokenOf('editor'))
    const names = await namesOf(editor)
    assert.ok(names.includes('ask_cafe_helper'), names.join(' '))
    assert.equal(names.filter(name => name.startsWith('ask_')).length, 2)
    assert.ok(!names.some(name => name.startsWith('run_') && name !== 'run_workflow'), 'not published')
    for (const name of [
      'list_workflows',
      'get_workflow',
      'check_workflow',
      'update_workflow',
      'publish_workflow',
    ])
      assert.ok(names.includes(name), name)
    await dataOf(api.post('workflow/publish', { id }))
    assert.ok((await namesOf(editor)).some(name => name.startsWith('run_') && name !== 'run_workflow'))
    assert.deepEqual(await namesOf(await connect(await tokenOf('viewer'))), [
      'list_knowledge',
      'search_knowledge',
    ])
    const runner = await connect(await tokenOf('runner', { agent_ids: [first] }))
    assert.deepEqual(await namesOf(runner), ['ask_cafe_helper'])
    const [tool] = (await runner.listTools()).tools
    assert.deepEqual(
      [tool!.title, tool!.description],
      ['Café helper', 'Asks the agent "Café helper". Knows the menu.'],
    )
    const refusedTool = call(runner, 'update_workflow', { id, workflow: {} })
    await assert.rejects(refusedTool, /There is no tool named update_workflow/)
  })

  it('asks an agent, and continues the conversation', async () => {
    await makeAgent(api, {}, { name: 'Echo' })
    model.play(({ messages }) => ({ text: `${messages.filter(({ role }) => role === 'user').length} asked` }))
    const client = await connect()
    const first = await call(client, 'ask_echo', { message: 'Hello' })
    assert.equal(textOf(first), '1 asked')
    const { conversation_id } = first.structuredContent as Data
    const second = await call(client, 'ask_echo', { message: 'Again', conversation_id })
    assert.equal(textOf(second), '2 asked')
    // Some clients show a model only the texts.
    const texts = first.content.map(part => (part.type === 'text' ? part.text : ''))
    assert.match(texts[1]!, new RegExp(`^conversation_id: ${conversation_id}\\b`))
  })

  it('names the arguments that are missing or wrong, once, and does nothing without them', async () => {
    const agent_id = await makeAgent(api, {}, { name: 'Strict' })
    const client = await connect()
    for (const [name, args, text] of [
      ['ask_strict', {}, 'message is required'],
      ['ask_strict', { message: null }, 'message is required'],
      ['ask_strict', { message: 5 }, '/content must be a string'],
      ['search_knowledge', { query: 'tea' }, 'knowledge_id is required'],
      ['resume_run', {}, 'run_id is required\nanswer is required'],
    ] as const) {
      const bad = await call(client, name, args)
      assert.deepEqual([bad.isError, textOf(bad)], [true, text])
    }
    assert.equal((await call(client, 'ask_strict', { message: ' ' })).isError, true)
    assert.equal((await api.post('conversation/list', { agent_id })).json.total, 0)
  })

  it('returns the question of a workflow that waits', async () => {
    const question = node('ask', 'question', { question: 'Which size?', options: ['small', 'large'] })
    const workflow = chain(question, output('say', 'A {{#ask.answer#}} one'))
    const { id } = await dataOf(api.post('workflow/create', { name: 'Order tea', workflow }))
    await dataOf(api.post('workflow/publish', { id }))
    const client = await connect(await tokenOf('editor'))
    const asked = await call(client, 'run_order_tea', { query: 'Tea' })
    const { run_id, waiting } = asked.structuredContent as Data
    assert.deepEqual([waiting.question, waiting.options], ['Which size?', ['small', 'large']])
    assert.match(textOf(asked), /Which size\?/)
    const resumed = await call(client, 'resume_run', { run_id, answer: 'large' })
    assert.equal((resumed.structuredContent as Data).answer, 'A large one')
  })

  it('names each tool once, and never lets one take over the name of another', async () => {
    const twins = [await makeAgent(api, {}, { name: 'Twin' }), await makeAgent(api, {}, { name: 'Twin' })]
    const workflow = await dataOf(
      api.post('workflow/create', { name: 'Workflow', workflow: chain(output('say', 'mine')) }),
    )
    await dataOf(api.post('workflow/publish', { id: workflow.id }))
    const client = await connect(await tokenOf('editor'))
    const names = await namesOf(client)
    assert.deepEqual(names, [...new Set(names)])
    const endOf = (id: string): string => id.replace(/\W|_/g, '').slice(-6)
    for (const id of twins) assert.ok(names.includes(`ask_twin_${endOf(id)}`), names.join(' '))
    const own = `run_workflow_${endOf(workflow.id)}`
    assert.equal(textOf(await call(client, own, { query: 'x' })), 'mine')
  })

  it('links to the files of an answer', async () => {
    const file = (await dataOf(api.upload('note.txt', 'A note'))).file_id
    const workflow_id = await makeWorkflow(api, chain(node('say', 'output', { file_list: [file] })))
    await makeAgent(api, { workflow_id }, { name: 'Sender' })
    const { content } = await call(await connect(), 'ask_sender', { message: 'Send it' })
    const [link, ...others] = content.slice(0, -1) as Data[]
    assert.deepEqual([link.type, others], ['resource_link', []])
    const response = await fetch(link.uri, { headers: { authorization: `Bearer ${operatorToken}` } })
    assert.equal(await response.text(), 'A note')
  })

  it('links to the files of a workflow', async () => {
    const file = (await dataOf(api.upload('note.txt', 'A note'))).file_id
    const sends = node('send', 'output', { answer: '', file_list: [file] })
    const onlySend = chain(sends)
    const count = node('end', 'end', { outputs: { total: '{{#sys.query#}}' } })
    const workflows = {
      'Send and say': chain(sends, output('say', 'second')),
      'Only send': onlySend,
      'Send and count': { ...onlySend, nodes: onlySend.nodes.with(-1, count) },
    }
    for (const [name, workflow] of Object.entries(workflows)) {
      const { id } = await dataOf(api.post('workflow/create', { name, workflow }))
      await dataOf(api.post('workflow/publish', { id }))
    }
    const client = await connect()
    const both = await call(client, 'run_send_and_say', { query: 'x' })
    assert.equal(textOf(both), 'second')
    const [link, ...others] = both.content.slice(1) as Data[]
    assert.deepEqual([link.type, others], ['resource_link', []])
    assert.deepEqual((both.structuredContent as Data).files, [file])
    const response = await fetch(link.uri, { headers: { authorization: `Bearer ${operatorToken}` } })
    assert.equal(await response.text(), 'A note')
    assert.deepEqual((await call(client, 'run_only_send', { query: 'x' })).content, [link])
    const counted = await call(client, 'run_send_and_count', { query: '5' })
    assert.deepEqual(counted.content, [{ type: 'text', text: '{"total":"5"}' }, link])
  })

  it('builds, checks, runs and publishes a workflow, which is then a tool', async () => {
    const client = await connect(await tokenOf('editor'))
    const workflow = chain(output('say', 'You said {{#sys.query#}}'))
    const made = await call(client, 'create_workflow', { name: 'Repeat it', workflow })
    const { id } = made.structuredContent as Data
    assert.equal(((await call(client, 'check_workflow', { id })).structuredContent as Data).runnable, true)
    // What the schema leaves out does not count: a stream could not be the result of a tool.
    const tested = await call(client, 'run_workflow', { id, query: 'x', version: 'draft', stream: 1 })
    assert.equal((tested.structuredContent as Data).answer, 'You said x')
    await call(client, 'publish_workflow', { id, note: 'From a chat' })
    assert.equal(textOf(await call(client, 'run_repeat_it', { query: 'hi' })), 'You said hi')
    const broken = await call(client, 'update_workflow', { id, workflow: { nodes: 1, edges: [] } })
    assert.equal(broken.isError, true)
    assert.match(textOf(broken), /nodes/)
    const { items } = await dataOf(api.get('audit?page_size=20'))
    assert.ok(
      items.some(({ operation }: Data) => operation === 'workflow.publish'),
      JSON.stringify(items[0]),
    )
  })

  it('describes the input variables of workflows and agents, and checks them', async () => {
    const client = await connect(await tokenOf('editor'))
    const variables = [
      { name: 'city', type: 'select', options: ['Paris', 'Rome'], required: true, description: 'Where.' },
      { name: 'days', type: 'number', default: 2, label: 'Days there' },
      { name: 'docs', type: 'files', max_length: 3 },
      { name: 'more', type: 'json' },
    ]
    const workflow = chain(output('say', '{{#input.city#}} {{#input.days#}} {{#sys.query#}}'))
    const [input, ...rest] = workflow.nodes
    const nodes = [{ ...input!, data: { ...input!.data, variables } }, ...rest]
    const id = (await dataOf(api.post('workflow/create', { name: 'Trip', workflow: { ...workflow, nodes } })))
      .id
    await dataOf(api.post('workflow/publish', { id }))
    const agent_id = await makeAgent(api, { workflow_id: id }, { name: 'Guide' })
    const { tools } = await client.listTools()
    const schemaOf = (name: string): Data => tools.find(tool => tool.name === name)!.inputSchema
    const { properties, required } = schemaOf('run_trip')
    assert.deepEqual(required, ['inputs'])
    assert.deepEqual(properties.inputs.required, ['city'])
    assert.deepEqual(properties.inputs.properties, {
      city: { type: 'string', enum: ['Paris', 'Rome'], description: 'Where.' },
      days: { type: 'number', description: 'Days there', default: 2 },
      docs: { type: 'array', items: { type: 'string', description: 'Id of an uploaded file.' }, maxItems: 3 },
      more: {},
    })
    const asked = schemaOf('ask_guide')
    assert.deepEqual([asked.required, asked.properties.inputs.required], [['message'], ['city']])

    assert.equal(textOf(await call(client, 'run_trip', { query: 'q', inputs: { city: 'Rome' } })), 'Rome 2 q')
    const refused = await call(client, 'run_trip', { query: 'q' })
    assert.equal(refused.isError, true)
    assert.match(textOf(refused), /inputs\.city is required/)
    const first = await call(client, 'ask_guide', { message: 'one', inputs: { city: 'Paris', days: 4 } })
    assert.equal(textOf(first), 'Paris 4 one')
    const { conversation_id } = first.structuredContent as Data
    assert.equal(textOf(await call(client, 'ask_guide', { message: 'two', conversation_id })), 'Paris 4 two')
    assert.match(textOf(await call(client, 'ask_guide', { message: 'one' })), /inputs\.city is required/)
    assert.equal((await api.post('conversation/list', { agent_id })).json.total, 1)
  })

  it('searches knowledge, and gives documents and kinds as resources', async () => {
    const base = await makeBase(api)
    await addTexts(api, base, { 'holidays.txt': 'Thirty days of holiday per year.' })
    const client = await connect(await tokenOf('viewer'))
    const found = await call(client, 'search_knowledge', { knowledge_id: base, query: 'holiday' })
    assert.match(textOf(found), /Thirty days/)
    const { resources } = await client.listResources()
    const document = resources.find(({ name }) => name === 'holidays.txt')!
    const { contents } = await client.readResource({ uri: document.uri })
    assert.equal((contents[0] as { text: string }).text, 'Thirty days of holiday per year.')
    const kinds = await client.readResource({ uri: 'banyan://kinds' })
    assert.match((kinds.contents[0] as { text: string }).text, /"llm"/)
    await assert.rejects(client.readResource({ uri: 'banyan://nothing' }), /no resource/)
  })

  it('lists every document of every base', async () => {
    const { token } = await dataOf(api.post('workspace/create', { name: 'Many documents' }))
    const there = api.as(token)
    const first = await makeBase(there)
    const names = Array.from({ length: 101 }, (_, at) => `${at}.txt`)
    const texts = names.map(name => ({ name, content: name }))
    for (let at = 0; at < texts.length; at += limits.documentsPerCall)
      await dataOf(there.post(`knowledge/${first}`, { texts: texts.slice(at, at + limits.documentsPerCall) }))
    for (let base = 0; base < 20; base++) await makeBase(there)
    const client = await connect(token)
    const { resources, nextCursor } = await client.listResources()
    assert.deepEqual(resources.map(({ name }) => name).sort(), ['kinds', ...names].sort())
    assert.equal(nextCursor, undefined)
  })

  it('refuses a cursor, because no list has a second page', async () => {
    const client = await connect()
    for (const list of [
      () => client.listTools({ cursor: 'x' }),
      () => client.listResources({ cursor: 'x' }),
      () => client.listResourceTemplates({ cursor: 'x' }),
    ])
      await assert.rejects(list, { code: -32602 })
  })

  it('refuses a resource that does not exist as not found', async () => {
    const base = await makeBase(api)
    const client = await connect()
    for (const uri of [
      'banyan://nothing',
      `banyan://knowledge/${base}/documents/file_AAAAAAAAAAAAAAAAAAAAAA`,
      'banyan://knowledge/kb_AAAAAAAAAAAAAAAAAAAAAA/documents/file_AAAAAAAAAAAAAAAAAAAAAA',
    ])
      await assert.rejects(client.readResource({ uri }), { code: -32002 }, uri)
  })

  it('shows nothing of another workspace', async () => {
    const other = await dataOf(api.post('workspace/create', { name: 'Other' }))
    const base = await makeBase(api)
    const client = await connect(other.token)
    assert.ok(!(await namesOf(client)).some(name => /^(ask|run)_/.test(name) && name !== 'run_workflow'))
    assert.deepEqual(
      (await client.listResources()).resources.map(({ uri }) => uri),
      ['banyan://kinds'],
    )
    const found = await call(client, 'search_knowledge', { knowledge_id: base, query: 'x' })
    assert.equal(found.isError, true)
  })

  it('refuses what is not allowed, as JSON-RPC', async () => {
    const post = async (
      headers: Record<string, string>,
      body = '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    ) => {
      const accept = 'application/json, text/event-stream'
      const response = await fetch(`${server.base}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, ...headers },
        body,
      })
      return { status: response.status, text: await response.text() }
    }
    const authorization = `Bearer ${operatorToken}`
    assert.equal((await post({ authorization })).status, 200)
    const missing = await post({})
    assert.equal(missing.status, 401)
    assert.equal(JSON.parse(missing.text).error.data.reason, 'token_missing')
    assert.equal((await post({ authorization, origin: 'http://localhost:3000' })).status, 200)
    const foreign = await post({ authorization, origin: 'https://evil.example' })
    assert.equal(foreign.status, 403)
    assert.match(JSON.parse(foreign.text).error.message, /MCP_ORIGINS/)
    const malformed = await post({ authorization }, '{"jsonrpc"')
    assert.equal(malformed.status, 400)
    const { jsonrpc, error } = JSON.parse(malformed.text)
    assert.deepEqual([jsonrpc, error.code], ['2.0', -32700])
    assert.equal((await fetch(`${server.base}/mcp`, { headers: { authorization } })).status, 405)
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    const batch = await post({ authorization }, `[${ping},${ping}]`)
    assert.deepEqual([batch.status, JSON.parse(batch.text).error.data.reason], [400, 'invalid_request'])
  })

  it('lets pages of allowed origins read every response, and no others', async () => {
    const allowedFor = (response: Response) => response.headers.get('access-control-allow-origin')
    const ask = (method: string, origin: string, more: Record<string, string> = {}) =>
      fetch(`${server.base}/mcp`, { method, headers: { origin, ...more } })
    const inspector = 'http://localhost:6274'
    const wanted = 'authorization,content-type,mcp-protocol-version'
    const preflight = await ask('OPTIONS', inspector, {
      'access-control-request-method': 'POST',
      'access-control-request-headers': wanted,
    })
    assert.deepEqual([preflight.status, allowedFor(preflight)], [204, inspector])
    const offered = preflight.headers.get('access-control-allow-headers')?.split(', ')
    for (const name of wanted.split(',')) assert.ok(offered?.includes(name), name)
    for (const [method, status] of [
      ['POST', 401],
      ['GET', 405],
    ] as const) {
      const refused = await ask(method, inspector)
      assert.deepEqual([refused.status, allowedFor(refused)], [status, inspector])
      assert.match(refused.headers.get('access-control-expose-headers') ?? '', /www-authenticate/)
    }
    for (const method of ['OPTIONS', 'POST', 'GET'])
      assert.equal(allowedFor(await ask(method, 'https://evil.example')), null, method)
  })
})

describe('the conformance suite', () => {
  let proxy: Server
  before(async () => {
    proxy = createServer((request, response) => {
      // The suite sends no token.
      const headers = { ...request.headers, authorization: `Bearer ${operatorToken}` }
      const { method, url } = request
      const forwarded = sendRequest(`${server.base}${url}`, { method, headers }, answer => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      })
      request.pipe(forwarded)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
  })
  after(() => {
    proxy.closeAllConnections()
    proxy.close()
  })

  for (const scenario of [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ])
    it(`passes the server scenario ${scenario}`, () => {
      const { port } = proxy.address() as AddressInfo
      return runConformance('server', scenario, ['--url', `http://127.0.0.1:${port}/mcp`])
    })
})
