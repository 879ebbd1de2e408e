import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { type FuzzOperation, readInterface, type Schema } from '../support/fuzz/interface.ts'
import { addTexts, dataOf, makeBase } from '../support/knowledge.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'

let server: TestServer
let operations: FuzzOperation[]
let ours: ApiClient
let theirs: ApiClient

/** Ids that exist in the other workspace, and well-formed ids that never existed, by prefix. */
let real: Record<string, string>
const absent: Record<string, string> = {
  wf: 'wf_NeverNeverNeverNeverNe',
  agent: 'agent_NeverNeverNeverNeverNe',
  conv: 'conv_NeverNeverNeverNeverNe',
  file: 'file_NeverNeverNeverNeverNe',
  kb: 'kb_NeverNeverNeverNeverNe',
  chunk: 'chunk_NeverNeverNeverNeverNe',
  run: 'run_NeverNeverNeverNeverNe',
  trig: 'trig_NeverNeverNeverNeverNe',
  tool: 'tool_NeverNeverNeverNeverNe',
  tset: 'tset_NeverNeverNeverNeverNe',
  note: 'note_NeverNeverNeverNeverNe',
  gold: 'gold_NeverNeverNeverNeverNe',
  grun: 'grun_NeverNeverNeverNeverNe',
  page: 'page_NeverNeverNeverNeverNe',
  tcase: 'tcase_NeverNeverNeverNeverNe',
  trun: 'trun_AlwaysAlwaysAlwaysA',
  model: 'model_NeverNeverNeverNeverNe',
  tok: 'tok_NeverNeverNeverNeverNe',
  ws: 'ws_NeverNeverNeverNeverNe',
  default: 'ws_NeverNeverNeverNeverNe',
}

const graph = {
  nodes: [{ id: 'n', type: 'base', data: { type: 'llm', prompt_template: 'theirs' } }],
  edges: [],
}

const runnable = {
  nodes: [
    { id: 'input', type: 'base', data: { type: 'input' } },
    { id: 'end', type: 'base', data: { type: 'end' } },
  ],
  edges: [{ source: { cell: 'input', port: 'out.input' }, target: { cell: 'end', port: 'in.end' } }],
}

before(async () => {
  server = await startTestServer({ SECRET_KEY: 'sealing-key-of-the-tests' })
  operations = (await readInterface(server.base)).operations
  ours = server.api.as((await server.api.post('workspace/create', { name: 'ours' })).json.data.token)
  const their = (await server.api.post('workspace/create', { name: 'theirs' })).json.data
  theirs = server.api.as(their.token)
  const workflow = (await theirs.post('workflow/create', { name: 'theirs', workflow: graph })).json.data.id
  await theirs.post('workflow/update', { id: workflow, workflow: { ...graph, second: true } })
  const kb = await makeBase(theirs, { name: 'theirs' })
  const [file] = await addTexts(theirs, kb, { 'theirs.txt': 'theirs' })
  const chunk = (await dataOf(theirs.get(`knowledge/${kb}/files/${file}/chunks`))).items[0].chunk_id
  const golden = { question: 'theirs?', file_ids: [file] }
  const gold = (await dataOf(theirs.post(`knowledge/${kb}/golden/create`, golden))).id
  const grun = (await dataOf(theirs.post(`knowledge/${kb}/golden/run`, {}))).id
  // Not fetched again, whether the page is missing or its address is refused.
  const urls = [`${server.base}/theirs`]
  const page = (await dataOf(theirs.post(`knowledge/${kb}/pages/create`, { urls }))).items[0].page_id
  await until(
    'the page has failed',
    async () => (await dataOf(theirs.get(`knowledge/${kb}/pages/${page}`))).status === 'failed',
  )
  await theirs.post('workflow/update', { id: 'wf_run', workflow: runnable })
  const run = (await dataOf(theirs.post('workflow/run', { id: 'wf_run' }))).run_id
  const address = { base_url: 'https://models.invalid/v1', model: 'm' }
  const model = (await dataOf(theirs.post('model/create', { name: 'theirs', ...address }))).id
  const hook = { kind: 'webhook', name: 'theirs', workflow_id: 'wf_run', inputs: { theirs: 1 } }
  const trigger = (await dataOf(theirs.post('trigger/create', hook))).id
  const set = (await dataOf(theirs.post('test/create', { name: 'theirs', workflow_id: 'wf_run' }))).id
  const tested = { id: set, name: 'theirs', inputs: { theirs: 1 } }
  const testCase = (await dataOf(theirs.post('test/saveCase', tested))).id
  const testRun = (await dataOf(theirs.post('test/run', { id: set, against: ['draft'] }))).id
  const endpoint = { type: 'http', url: 'https://tools.invalid/' }
  const tool = (await dataOf(theirs.post('tool/create', { name: 'theirs', ...endpoint }))).id
  const token = (await theirs.post('token/create', { name: 'theirs', role: 'viewer' })).json.data.id
  const agent = (await dataOf(theirs.post('agent/create', { name: 'theirs' }))).id
  const written = { agent_id: agent, question: 'theirs?', answer: 'theirs' }
  const note = (await dataOf(theirs.post('annotation/create', written))).id
  const conv = (await theirs.post('conversation/create', { agent_id: agent })).json.conversation_id
  real = {
    wf: workflow,
    agent,
    conv,
    note,
    file: file!,
    kb,
    chunk,
    run,
    trig: trigger,
    tool,
    tset: set,
    gold,
    grun,
    page,
    tcase: testCase,
    trun: testRun,
    model,
    tok: token,
    ws: their.id,
    default: their.id,
  }
})
after(() => server.stop())

const prefixOf = (schema: Schema): string | undefined => {
  const example = (schema['examples'] as string[] | undefined)?.[0]
  if (typeof schema['pattern'] !== 'string' || example === undefined) return undefined
  return /^([a-z]+)_/.exec(example)?.[1] ?? example
}

/** The id that fits the schema of a field, or a list with that id, if there is one. */
function idFor(schema: Schema, ids: Record<string, string>): unknown {
  if (schema['type'] === 'array') {
    const inner = idFor((schema['items'] ?? {}) as Schema, ids)
    return inner === undefined ? undefined : [inner]
  }
  const prefix = prefixOf(schema)
  return prefix === undefined ? undefined : ids[prefix]
}

interface Planned {
  path: string
  body: Record<string, unknown> | undefined
  hasId: boolean
}

function plan(operation: FuzzOperation, ids: Record<string, string>): Planned {
  let hasId = false
  const note = (id: unknown): unknown => {
    if (id !== undefined) hasId = true
    return id
  }
  const field = (name: string, place: string): Schema =>
    operation.fields.find(candidate => candidate.name === name && candidate.in === place)?.schema ?? {}
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(note(idFor(field(name, 'path'), ids))),
  )
  const query = operation.fields
    .filter(({ in: place, required }) => place === 'query' && required)
    .map(({ name, schema }) => `${name}=${note(idFor(schema, ids)) ?? 1}`)
  let body: Record<string, unknown> | undefined
  if (operation.body) {
    body = structuredClone((operation.example ?? {}) as Record<string, unknown>)
    for (const [name, schema] of Object.entries(
      (operation.body['properties'] ?? {}) as Record<string, Schema>,
    )) {
      const id = note(idFor(schema, ids))
      if (id !== undefined) body[name] = id
    }
  }
  return { path: query.length > 0 ? `${path}?${query.join('&')}` : path, body, hasId }
}

/** The response with ids and always-varying values replaced by placeholders, so that two responses can be compared. */
const comparable = (answer: ApiAnswer, ids: Record<string, string>): unknown => {
  let text = answer.text
  for (const [prefix, id] of Object.entries(ids)) text = text.replaceAll(id, `<${prefix}>`)
  text = text
    .replaceAll(/"id":"trig_[\w-]{22}"/g, '"id":"<fresh>"')
    .replaceAll(/"run_id":"run_[\w-]{22}"/g, '"run_id":"<fresh>"')
    .replaceAll(/"elapsed_ms":\d+/g, '"elapsed_ms":0')
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+\+00:00"/g, '"<time>"')
  const headers = Object.fromEntries(
    [...answer.headers].filter(([name]) => !['x-traceid', 'date', 'content-length'].includes(name)),
  )
  return { status: answer.status, headers, text: text.replaceAll('<default>', '<ws>') }
}

const snapshot = async (): Promise<unknown[]> => {
  const answers = await Promise.all([
    theirs.get(`workflow?id=${real['wf']}`),
    theirs.get(`workflow/versions?id=${real['wf']}`),
    theirs.post('workflow/list', {}),
    theirs.post('files', {}),
    theirs.get(`files/${real['file']}`),
    theirs.post('knowledge', {}),
    theirs.get(`knowledge/${real['kb']}/files`),
    theirs.get(`knowledge/${real['kb']}/files/${real['file']}/chunks`),
    theirs.get(`knowledge/${real['kb']}/golden`),
    theirs.get(`knowledge/${real['kb']}/pages`),
    theirs.get(`workflow/runs/${real['run']}`),
    theirs.post('model/list', {}),
    theirs.post('trigger/list', {}),
    theirs.post('tool/list', {}),
    theirs.post('token/list', {}),
    server.api.post('workspace/list', {}),
  ])
  return answers.map(answer => ({ status: answer.status, text: answer.text }))
}

/** Guards against the schema lookup silently matching fewer operations than take an id today. */
const minCoveredOperations = 27

// Before the next test, which creates workflows with these ids.
test('responds to ids of another workspace as to unknown ids in tools and resources of /mcp', async () => {
  const before = await snapshot()
  const send = (method: string, params: object) =>
    ours.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method, params },
      { headers: { accept: 'application/json, text/event-stream' } },
    )
  const attempts = (ids: Record<string, string>): [method: string, params: object][] => [
    ['tools/call', { name: 'get_workflow', arguments: { id: ids['wf'] } }],
    ['tools/call', { name: 'check_workflow', arguments: { id: ids['wf'] } }],
    ['tools/call', { name: 'publish_workflow', arguments: { id: ids['wf'] } }],
    ['tools/call', { name: 'run_workflow', arguments: { id: ids['wf'] } }],
    ['tools/call', { name: 'get_run', arguments: { run_id: ids['run'] } }],
    ['tools/call', { name: 'resume_run', arguments: { run_id: ids['run'], answer: 'x' } }],
    ['tools/call', { name: 'search_knowledge', arguments: { knowledge_id: ids['kb'], query: 'theirs' } }],
    ['resources/read', { uri: `banyan://knowledge/${ids['kb']}/documents/${ids['file']}` }],
  ]
  const unknown = attempts(absent)
  for (const [index, [method, params]] of attempts(real).entries()) {
    const theirAnswer = await send(method, params)
    const unknownAnswer = await send(...unknown[index]!)
    assert.equal(theirAnswer.status, 200)
    assert.deepEqual(comparable(theirAnswer, real), comparable(unknownAnswer, absent), JSON.stringify(params))
    assert.match(theirAnswer.text, /"isError":true|"error":|\\"exist\\":false/)
  }
  for (const method of ['tools/list', 'resources/list'])
    assert.ok(!(await send(method, {})).text.includes('theirs'), method)
  assert.deepEqual(await snapshot(), before)
})

test('responds to ids of another workspace as to unknown ids and changes nothing there', async () => {
  const before = await snapshot()
  const covered: string[] = []
  for (const operation of operations) {
    const attempt = plan(operation, real)
    if (!attempt.hasId) continue
    // A webhook belongs to no caller: a sender proves that it knows the secret, which a token of any workspace does not.
    if (operation.name === 'trigger.fire') {
      assert.equal((await ours.call(operation.method, attempt.path, attempt.body)).json.code, 40102)
      continue
    }
    const unknownAttempt = plan(operation, absent)
    const theirAnswer = await ours.call(operation.method, attempt.path, attempt.body)
    const unknownAnswer = await ours.call(operation.method, unknownAttempt.path, unknownAttempt.body)
    assert.deepEqual(comparable(theirAnswer, real), comparable(unknownAnswer, absent), operation.name)
    assert.ok(!theirAnswer.text.includes('theirs'), `${operation.name} leaks data of the other workspace`)
    covered.push(operation.name)
  }
  assert.ok(covered.length >= minCoveredOperations, `only ${covered.join(', ')}`)
  assert.deepEqual(await snapshot(), before)
})

test('keeps workflows with the same id separate per workspace', async () => {
  const id = real['wf']!
  const workflow = { nodes: [], edges: [], mine: true }
  assert.equal((await ours.post('workflow/update', { id, workflow })).status, 200)
  assert.equal((await theirs.get(`workflow?id=${id}`)).json.data.workflow.config.mine, undefined)
  await ours.post('workflow/delete', { id })
  assert.equal((await theirs.get(`workflow?id=${id}`)).json.data.exist, true)
  assert.equal((await theirs.get(`workflow/versions?id=${id}`)).json.data.total, 2)
})

test('resolves only the ids of its own workspace in a list', async () => {
  const file = (await ours.upload('ours.txt', 'ours')).json.data.file_id as string
  const both = [file, real['file']!]
  const info = (await ours.post('files', { file_ids: both })).json.data
  assert.deepEqual(
    info.items.map((item: { file_id: string }) => item.file_id),
    [file],
  )
  assert.deepEqual(info.missing, [real['file']])
  const removed = (await ours.post('files/delete', { file_ids: both, force: true })).json.data
  assert.deepEqual([removed.deleted, removed.missing], [[file], [real['file']]])
  assert.equal((await theirs.get(`files/${real['file']}`)).text, 'theirs')
})

test('keeps identical content separate per workspace', async () => {
  const copy = (await ours.upload('copy.txt', 'theirs')).json.data.file_id as string
  await ours.post('files/delete', { file_ids: [copy] })
  assert.equal((await theirs.get(`files/${real['file']}`)).text, 'theirs')
})

test('scopes an Idempotency-Key to its workspace', async () => {
  const options = { headers: { 'idempotency-key': 'shared' } }
  const first = await theirs.post('token/create', { name: 'a', role: 'viewer' }, options)
  const second = await ours.post('token/create', { name: 'a', role: 'viewer' }, options)
  assert.equal(second.status, 200)
  assert.notEqual(second.json.data.token, first.json.data.token)
  assert.equal(second.headers.get('idempotency-replayed'), null)
})
