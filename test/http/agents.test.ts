import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConversationServer, startConversationServer } from '../support/conversation-server.ts'

let server: ConversationServer
before(async () => {
  server = await startConversationServer()
})
after(() => server.stop())

const make = async (body: object): Promise<string> =>
  (await server.api.post('agent/create', { name: 'A', ...body })).json.data.id
const read = async (id: string) =>
  (await server.api.post('agent/gets', { id: [id] })).json.data.agents[id].data

test('creates an agent from a name with default fields', async () => {
  const { status, json } = await server.api.post('agent/create', { name: 'Butler' })
  assert.equal(status, 200)
  const { id, created_at, updated_at, ...rest } = json.data
  assert.match(id, /^agent_[\w-]{22}$/)
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    ...{ name: 'Butler', intro: '', memory: {}, learn: {}, config: {} },
    ...{ access: 'private', allowed_origins: [], warnings: [] },
  })
})

test('generates the id, drops unknown fields and keeps unknown settings', async () => {
  const id = await make({ id: 'agent_mine', secret: 1, config: { theme: { dark: true }, voice: null } })
  assert.notEqual(id, 'agent_mine')
  const agent = await read(id)
  assert.equal('secret' in agent, false)
  assert.deepEqual(agent.config, { theme: { dark: true } })
})

test('updates only the fields sent, merges settings and removes those set to null', async () => {
  const id = await make({ intro: 'i', learn: { kb_a: {} }, config: { prologue: 'hi', model: 'm', x: 1 } })
  const { json } = await server.api.post('agent/update', { id, config: { model: null, x: 2, y: 3 } })
  assert.deepEqual(json.data.config, { prologue: 'hi', x: 2, y: 3 })
  assert.deepEqual([json.data.intro, json.data.learn], ['i', { kb_a: {} }])
  assert.ok(json.data.updated_at > json.data.created_at)
  assert.deepEqual((await read(id)).config, json.data.config)
})

test('takes an empty workflow id for an agent with a persona', async () => {
  const blank = { workflow_id: '', character_profile: '', model: '', prologue: '', type: '' }
  const { data } = (await server.api.post('agent/create', { name: 'blank', config: blank })).json
  assert.deepEqual([data.config, data.warnings], [blank, []])
})

test('warns about references to a missing workflow or knowledge base', async () => {
  const { json } = await server.api.post('agent/create', {
    name: 'Draft',
    learn: { kb_nope: {}, kb_a: {} },
    config: { workflow_id: 'wf_nope' },
  })
  assert.equal(json.code, 0)
  assert.deepEqual(
    json.data.warnings.map(({ path }: { path: string }) => path),
    ['/config/workflow_id', '/learn/kb_nope'],
  )
})

test('rejects invalid fields and reports their paths', async () => {
  const wrong: [object, string][] = [
    [{ name: '' }, '/name'],
    [{ name: '  ' }, '/name'],
    [{ name: 'x'.repeat(101) }, '/name'],
    [{ access: 'open' }, '/access'],
    [{ learn: { 'no id!': {} } }, '/learn'],
    [{ memory: { a: 1 } }, '/memory/a'],
    [{ config: { workflow_id: 'no id!' } }, '/config/workflow_id'],
    [{ config: { tools: { t: 1 } } }, '/config/tools'],
    [{ config: { recommendation_question: 'x' } }, '/config/recommendation_question'],
    [{ config: { avatar: '🌳' } }, '/config/avatar'],
    [{ config: { avatar: { emoji: '' } } }, '/config/avatar/emoji'],
    [{ config: { avatar: { emoji: 'ab' } } }, '/config/avatar/emoji'],
    [{ config: { avatar: { emoji: '🌳🌳' } } }, '/config/avatar/emoji'],
    [{ config: { avatar: { emoji: ' ' } } }, '/config/avatar/emoji'],
    [{ config: { avatar: { emoji: '\u202e' } } }, '/config/avatar/emoji'],
    [{ config: { avatar: { emoji: `a${'\u0301'.repeat(30)}` } } }, '/config/avatar/emoji'],
    [{ config: { avatar: { color: 'url(x)' } } }, '/config/avatar/color'],
    [{ config: { pad: 'x'.repeat(140_000) } }, '/config'],
    [{ learn: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`kb_${at}`, {}])) }, '/learn'],
  ]
  for (const [body, path] of wrong) {
    const { status, text } = await server.api.post('agent/create', { name: 'A', ...body })
    assert.equal(status, 400, text.slice(0, 200))
    assert.ok(text.includes(`"path":"${path}`), `${path}: ${text.slice(0, 300)}`)
  }
})

test('stores an avatar of one character and a colour, and lists it', async () => {
  // A family, a flag of regional letters, a keycap, and a letter with its accent.
  for (const emoji of [
    '🌳',
    '👨‍👩‍👧‍👦',
    '🇨🇳',
    '1️⃣',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    'e\u0301',
    '榕',
  ]) {
    const id = await make({ config: { avatar: { emoji, color: 'teal', more: 1 } } })
    assert.deepEqual((await read(id)).config, { avatar: { emoji, color: 'teal' } })
    const { items } = (await server.api.post('agent/list', { keyword: id })).json.data
    assert.deepEqual(items[0].config, { avatar: { emoji, color: 'teal' } })
  }
  const id = await make({ config: { avatar: { emoji: '🌳' } } })
  await server.api.post('agent/update', { id, config: { avatar: { color: 'red', emoji: null } } })
  assert.deepEqual((await read(id)).config, { avatar: { color: 'red' } })
  await server.api.post('agent/update', { id, config: { avatar: null } })
  assert.deepEqual((await read(id)).config, {})
})

test('returns every requested id in data.agents and agents', async () => {
  const id = await make({})
  const { json } = await server.api.post('agent/gets', { id: [id, 'agent_nope'] })
  assert.equal(json.data.agents[id].data.id, id)
  assert.deepEqual(json.data.agents.agent_nope, { exist: false })
  assert.deepEqual(json.agents, json.data.agents)
})

test('lists and deletes agents', async () => {
  const id = await make({ name: 'Findable' })
  const list = () => server.api.post('agent/list', { keyword: 'findABLE' })
  assert.deepEqual((await list()).json.data.items[0].id, id)
  assert.equal((await server.api.post('agent/delete', { id })).json.code, 0)
  assert.equal((await list()).json.data.total, 0)
  assert.equal((await server.api.post('agent/delete', { id })).status, 404)
  assert.equal((await server.api.post('agent/update', { id, name: 'x' })).status, 404)
})

test('hides agents from other workspaces', async () => {
  const id = await make({ access: 'public' })
  const { token } = (await server.api.post('workspace/create', { name: 'other' })).json.data
  const other = server.api.as(token)
  assert.equal((await other.post('agent/gets', { id: [id] })).json.agents[id].exist, false)
  assert.equal((await other.post('agent/update', { id, name: 'mine' })).status, 404)
  assert.equal((await other.post('agent/delete', { id })).status, 404)
  assert.equal((await other.post('agent/list', {})).json.data.total, 0)
  assert.equal((await other.post('conversation/create', { agent_id: id })).status, 404)
})

test('lets a viewer list agents and a runner read only its own', async () => {
  const [mine, other] = [await make({}), await make({})]
  const tokenOf = async (body: object) =>
    (await server.api.post('token/create', { name: 't', ...body })).json.data.token
  const viewer = server.api.as(await tokenOf({ role: 'viewer' }))
  assert.equal((await viewer.post('agent/list', {})).status, 200)
  assert.equal((await viewer.post('agent/create', { name: 'x' })).status, 403)
  const runner = server.api.as(await tokenOf({ role: 'runner', agent_ids: [mine] }))
  assert.equal((await runner.post('agent/list', {})).status, 403)
  const { agents } = (await runner.post('agent/gets', { id: [mine, other] })).json
  assert.deepEqual([agents[mine].exist, agents[other].exist], [true, false])
})

test('creates one agent for repeated requests with the same Idempotency-Key', async () => {
  const send = () =>
    server.api.post('agent/create', { name: 'Once' }, { headers: { 'idempotency-key': 'k1' } })
  assert.deepEqual((await send()).json, (await send()).json)
})

test('returns only client-facing fields to a runner', async () => {
  const tools = {
    crm: { running_config: { type: 'http', url: 'https://crm', headers: { a: 'CRM-SECRET' } } },
  }
  const shown = { prologue: 'hi', recommendation_question: ['?'], voice: 1, figure: { a: 1 }, type: 'x' }
  const id = await make({
    ...{ intro: 'i', memory: { city: { default: 'Paris' } }, learn: { kb_a: {} } },
    config: { ...shown, tools, character_profile: 'CRM-SECRET', model: 'm', mine: 'CRM-SECRET' },
  })
  const body = { name: 'r', role: 'runner', agent_ids: [id] }
  const runner = server.api.as((await server.api.post('token/create', body)).json.data.token)
  const answer = await runner.post('agent/gets', { id: [id] })
  assert.deepEqual(answer.json.agents[id].data, { id, name: 'A', intro: 'i', config: shown })
  assert.deepEqual(answer.json.data.agents, answer.json.agents)
  assert.doesNotMatch(answer.text, /CRM-SECRET|Paris|kb_a/)
  assert.match((await server.api.post('agent/gets', { id: [id] })).text, /CRM-SECRET/)
})

test('masks tool header values for viewers and rejects the mask on write', async () => {
  const tools = (value: string) => ({
    crm: { version: '1', running_config: { type: 'http', url: 'https://crm', headers: { 'X-Key': value } } },
    files: { running_config: { type: 'mcp', url: 'https://mcp', headers: { a: value, b: value } } },
    odd: { running_config: { type: 'mcp', headers: value } },
    web_search: {},
  })
  const id = await make({ config: { tools: tools('KEY.1'), model: 'm' } })
  const token = (await server.api.post('token/create', { name: 'v', role: 'viewer' })).json.data.token
  const answer = await server.api.as(token).post('agent/gets', { id: [id] })
  assert.doesNotMatch(answer.text, /KEY\.1/)
  const { config } = answer.json.data.agents[id].data
  assert.deepEqual(config, { tools: tools('•••'), model: 'm' })
  assert.deepEqual((await read(id)).config.tools, tools('KEY.1'))

  const { status, json } = await server.api.post('agent/update', { id, config })
  assert.deepEqual(
    [status, json.data.errors[0].path],
    [400, '/config/tools/crm/running_config/headers/X-Key'],
  )
  assert.equal((await server.api.post('agent/create', { name: 'Copy', config })).status, 400)
  assert.deepEqual((await read(id)).config.tools, tools('KEY.1'))
})

test('limits the size of memory and learn and omits long fields from lists', async () => {
  const long = 'x'.repeat(66_000)
  for (const [field, value] of [
    ['memory', { city: { default: long } }],
    ['learn', { kb_a: { note: long } }],
  ] as const) {
    const { status, json } = await server.api.post('agent/create', { name: 'Long', [field]: value })
    assert.deepEqual([status, json.data.errors[0].path], [400, `/${field}`])
    const id = await make({})
    assert.equal((await server.api.post('agent/update', { id, [field]: value })).status, 400)
  }
  const id = await make({
    ...{ name: 'Listed', intro: 'i', memory: { city: {} }, access: 'public' },
    config: { workflow_id: 'wf', type: 'guide', character_profile: 'long', prologue: 'long' },
  })
  const { items } = (await server.api.post('agent/list', { keyword: id })).json.data
  const { created_at, updated_at, ...listed } = items[0]
  assert.deepEqual(listed, {
    ...{ id, name: 'Listed', intro: 'i', access: 'public' },
    config: { workflow_id: 'wf', type: 'guide' },
  })
  assert.equal(typeof created_at, typeof updated_at)
})

test('rejects numbers that JSON cannot round-trip and reports their path', async () => {
  const headers = { 'content-type': 'application/json' }
  for (const [member, path] of [
    ['"config":{"voice":1e400}', '/config/voice'],
    ['"config":{"a":{"b":[9007199254740993]}}', '/config/a/b/0'],
    ['"memory":{"n":{"default":12345678901234567890}}', '/memory/n/default'],
    ['"learn":{"kb_a":{"x":-1e999}}', '/learn/kb_a/x'],
  ]) {
    const { status, json } = await server.api.post('agent/create', `{"name":"N",${member}}`, { headers })
    assert.deepEqual([status, json.code, json.data.errors[0].path], [400, 40001, path])
  }
})

test('warns about settings that prevent the agent from answering', async () => {
  const { json } = await server.api.post('agent/create', {
    name: 'Draft',
    config: {
      character_profile: 'You know {{#nowhere.text#}}',
      model: 'nope',
      tools: { web_search: {}, odd: { running_config: { type: 'smoke' } }, empty: {} },
    },
  })
  assert.deepEqual(json.data.warnings.map(({ path }: { path: string }) => path).sort(), [
    '/config/character_profile',
    '/config/model',
    '/config/tools/empty',
    '/config/tools/odd',
  ])
  const bound = { workflow_id: 'wf', character_profile: '{{#nowhere.text#}}' }
  assert.deepEqual(
    (await server.api.post('agent/create', { name: 'B', config: bound })).json.data.warnings,
    [],
  )
})
