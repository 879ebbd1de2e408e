import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Graph, GraphNode } from '../../src/workflow/graph.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { addTexts, dataOf, makeBase } from '../support/knowledge.ts'
import { chain, llm, output } from '../support/run-graphs.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { ScriptedToolServer } from '../support/scripted-tool-server.ts'
import { type SinkServer, startSinkServer } from '../support/sink-server.ts'
import { makeAgent, makeWorkflow, openTalk, runOf, runWorkflow, send } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { edge, graph, node } from '../workflow/graphs.ts'

// What one workspace does must not stop another one.

const notes = new Map<string, string>()
const remember = (_: string, { note }: Record<string, string>, headers: NodeJS.Dict<string | string[]>) => {
  const session = String(headers['mcp-session-id'])
  const text = `the note was ${notes.get(session) ?? 'empty'}`
  if (note !== undefined) notes.set(session, note)
  return { content: [{ type: 'text', text }] }
}

/** What the silent server waits for. */
const released = Promise.withResolvers<undefined>()

let model: ScriptedModel
let tools: ScriptedToolServer
let silent: SinkServer
let server: TestServer
let noisy: ApiClient
let quiet: ApiClient
before(async () => {
  model = await startScriptedModel()
  tools = await new ScriptedToolServer({ call: remember }).start()
  silent = await startSinkServer()
  silent.answer(() => released.promise)
  server = await startTestServer({
    ...model.environment,
    DEMO: 'off',
    EGRESS_ALLOW: '127.0.0.1',
    INGEST_WORKERS: '1',
    PUBLIC_CALLS_PER_MINUTE: '10000',
  })
  noisy = server.api
  quiet = noisy.as((await dataOf(noisy.post('workspace/create', { name: 'quiet' }))).token)
})
after(async () => {
  await silent.stop()
  await server.stop()
  await tools.close()
  await model.stop()
})

const code = (id: string, program: string, more: object = {}): GraphNode =>
  node(id, 'code', { code: program, inputs: {}, ...more })

/** Runs all nodes at the same time. */
const parallel = (...between: GraphNode[]): Graph =>
  graph(
    [node('input', 'input'), ...between, node('end', 'end')],
    between.flatMap(({ id }) => [edge('input', id), edge(id, 'end')]),
  )

const stop = (api: ApiClient, runId: string): Promise<ApiAnswer> =>
  api.post(`workflow/runs/${runId}/stop`, {})

test('code of one workspace runs while another one runs endless code', async () => {
  const endless = Array.from({ length: 16 }, (_, n) =>
    code(`n${n}`, 'function main() { for (;;); }', { on_error: 'skip', retry: { times: 10 } }),
  )
  const attack = await runWorkflow(noisy, await makeWorkflow(noisy, parallel(...endless)), '', { wait: 0 })
  const light = await makeWorkflow(
    quiet,
    chain(code('a', 'const main = () => 7'), output('o', '{{#a.result#}}')),
  )
  const runs = await Promise.all(Array.from({ length: 8 }, () => runWorkflow(quiet, light, '')))
  assert.deepEqual(
    runs.map(({ status, answer }) => [status, answer]),
    runs.map(() => ['succeeded', '7']),
  )
  assert.equal((await runOf(noisy, attack.run_id)).status, 'running')
  await stop(noisy, attack.run_id)
})

test('the time that code waits for a thread does not count against its timeout', async () => {
  const busy = Array.from({ length: 4 }, (_, n) =>
    code(`busy${n}`, 'function main() { const end = Date.now() + 2500; while (Date.now() < end); return 1 }'),
  )
  // On two threads it waits for 5 seconds. On a busy machine even this code may take a second.
  const last = code('last', 'const main = () => 7', { timeout_ms: 4000 })
  const run = await runWorkflow(quiet, await makeWorkflow(quiet, parallel(...busy, last)), '')
  assert.equal(run.status, 'succeeded', JSON.stringify(run.error))
})

test('documents of one workspace are ingested while another one has many', async () => {
  const many = await makeBase(noisy)
  const content = 'Walnuts and hazelnuts grow on trees, almonds too. '.repeat(2000)
  const texts = Array.from({ length: 100 }, (_, n) => ({ name: `${n}.txt`, content: `${n} ${content}` }))
  await dataOf(noisy.post(`knowledge/${many}`, { texts }))
  await addTexts(quiet, await makeBase(quiet), { 'small.txt': 'Feathers.' })
  const { items } = await dataOf(noisy.get(`knowledge/${many}/files?page_size=100`))
  const open = items.filter(({ status }: ApiAnswer['json']) => status !== 'ready')
  assert.ok(open.length > 50, `${open.length} documents of the other workspace were still waiting`)
  await dataOf(noisy.post(`knowledge/${many}/delete`, {}))
})

test('public agents of one workspace answer while anonymous users flood another one', async () => {
  const graphOf = (url: string) => chain(node('call', 'http_request', { url, timeout_ms: 60_000 }))
  const publicAgent = async (api: ApiClient, workflow: Graph): Promise<string> =>
    makeAgent(api, { workflow_id: await makeWorkflow(api, workflow) }, { access: 'public' })
  const flooded = await publicAgent(noisy, graphOf(silent.origin))
  const anonymous = noisy.as(undefined)
  const floods = Array.from({ length: 205 }, async () =>
    send(anonymous, await openTalk(anonymous, flooded), 'hello'),
  )
  const first = await Promise.race(floods)
  assert.equal(first.json.code, 42901, first.text)
  const other = await publicAgent(quiet, chain(output('o', 'welcome')))
  const answer = await send(anonymous, await openTalk(anonymous, other), 'hello')
  assert.equal(answer.status, 200, answer.text)
  released.resolve(undefined)
  await Promise.all(floods)
})

test('MCP sessions are not shared between workspaces, nor between conversations', async () => {
  const call = (args: object) => node('call', 'mcp', { url: tools.url, tool: 'remember', arguments: args })
  const workflow = chain(call({ note: '{{#sys.query#}}' }), output('o', '{{#call.text#}}'))
  const remembered = async (api: ApiClient, query: string): Promise<string> =>
    (await runWorkflow(api, await makeWorkflow(api, workflow), query)).answer
  assert.equal(await remembered(noisy, 'a secret'), 'the note was empty')
  assert.equal(await remembered(quiet, 'another'), 'the note was empty')
  assert.equal(await remembered(noisy, 'a third'), 'the note was empty')
  const agent = await makeAgent(noisy, { workflow_id: await makeWorkflow(noisy, workflow) })
  const [one, other] = [await openTalk(noisy, agent), await openTalk(noisy, agent)]
  const said = async (talk: typeof one, content: string): Promise<string> =>
    (await send(noisy, talk, content)).json.feedback[0].content
  assert.equal(await said(one, 'mine'), 'the note was empty')
  assert.equal(await said(other, 'theirs'), 'the note was empty')
  assert.equal(await said(one, 'again'), 'the note was mine')
})

test('a rejected request of one workspace does not change the requests of another one', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const asking = (more: Record<string, unknown>) =>
    chain(llm('m', '{{#sys.query#}}', more), output('o', '{{#m.text#}}'))
  const ask = async (api: ApiClient, more: Record<string, unknown>) => {
    await runWorkflow(api, await makeWorkflow(api, asking(more)), 'go')
    const { response_format: format, temperature } = model.calls.chat.at(-1)!.body
    return [format?.type, temperature]
  }
  model.play(body => {
    if (body.response_format?.type === 'json_schema' && JSON.stringify(body).includes('invalid'))
      return { status: 400, message: 'Invalid schema for response_format: invalid' }
    return body.temperature === 1.9
      ? { status: 400, message: 'temperature: 1.9 is not supported with this model' }
      : undefined
  })
  const valid = { json_schema: schema, temperature: 0.3 }
  assert.deepEqual(await ask(quiet, valid), ['json_schema', 0.3])
  const invalid = { json_schema: { ...schema, title: 'invalid' }, temperature: 1.9 }
  assert.deepEqual(await ask(noisy, invalid), ['json_object', undefined])
  assert.deepEqual(await ask(quiet, valid), ['json_schema', 0.3])
  assert.deepEqual(await ask(noisy, valid), ['json_schema', 0.3])
})

test('requests that a provider fails for one workspace do not stop the calls of another one', async () => {
  const once = { retry: { times: 0 } }
  const asks = {
    'the model': llm('a', '{{#sys.query#}}', once),
    'the web search': node('a', 'web_search', { query: '{{#sys.query#}}', ...once }),
  }
  const poisoned = (text: string) =>
    text.includes('poison') ? { status: 500, headers: { 'retry-after': '600' } } : undefined
  model.play(body => poisoned(JSON.stringify(body.messages)))
  model.playSearch(poisoned)
  for (const [label, ask] of Object.entries(asks)) {
    const statuses = async (api: ApiClient, query: string, times: number): Promise<string[]> => {
      const id = await makeWorkflow(api, chain(ask))
      const runs = await Promise.all(Array.from({ length: times }, () => runWorkflow(api, id, query)))
      return runs.map(({ status }) => status)
    }
    assert.deepEqual(await statuses(noisy, 'poison', 6), Array(6).fill('failed'))
    assert.deepEqual(await statuses(quiet, 'water', 1), ['succeeded'], label)
    assert.deepEqual(await statuses(noisy, 'water', 1), ['failed'], `${label} is spared for a while`)
  }
})
