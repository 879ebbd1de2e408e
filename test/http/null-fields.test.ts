import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dataOf } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeAgent, openTalk, say } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { edge, node } from '../workflow/graphs.ts'

let server: TestServer
before(async () => {
  server = await startTestServer({ DEMO: 'off' })
})
after(() => server.stop())

const echo = () => chain(output('out', 'echo: {{#sys.query#}}'))

test('reads null in an optional field as absent', async () => {
  const { api } = server
  const { id } = await dataOf(api.post('workflow/create', { name: null, workflow: echo() }))
  const agentId = await makeAgent(api, { workflow_id: id }, { intro: null, memory: null, learn: null })
  const talk = await openTalk(api, agentId, { user_id: null, env_type: null })
  const listed = await api.post('conversation/list', { agent_id: agentId })
  assert.equal(listed.json.items[0].env_type, 'open_platform')
  const absent = { user_id: null, chat_id: null, message_id: null, timestamp: null, stream: null }
  const { feedback } = await say(api, talk, 'hello', { ...absent, file_list: null, update_config: null })
  assert.equal(feedback[0].content, 'echo: hello')
  const page = await api.post('conversation/retrieve', { ...talk, limit: null, offset: null })
  assert.equal(page.json.retrieve_data.length, 2)
  for (const path of ['workflow/list', 'files', 'agent/list', 'conversation/list', 'knowledge'])
    assert.equal((await api.post(path, { keyword: null, page: null, cursor: null })).status, 200, path)
  const run = await dataOf(
    api.post('workflow/run', { id, inputs: { query: null, files: null, other: null }, version: null }),
  )
  assert.deepEqual([run.status, run.answer], ['succeeded', 'echo: '])
  assert.equal((await api.post('workflow/run', { id, inputs: null })).json.data.status, 'succeeded')
  const base = await dataOf(api.post('knowledge/create', { name: 'Tea', description: null, chunking: null }))
  const found = await api.post(`knowledge/${base.knowledge_id}/search`, {
    query: 'tea',
    top_k: null,
    filter: null,
  })
  assert.equal(found.status, 200, found.text)
})

test('keeps null where it has a meaning, and reports it in a required field', async () => {
  const { api } = server
  const agentId = await makeAgent(api, { prologue: 'Hi', model: 'm' })
  const { config } = await dataOf(
    api.post('agent/update', { id: agentId, name: null, config: { model: null } }),
  )
  assert.deepEqual(config, { prologue: 'Hi' })
  const missing = await api.post('agent/create', { name: null })
  assert.deepEqual([missing.json.code, missing.json.data.errors[0].path], [40001, '/name'])
})

test('stores null in a graph verbatim, warns of it and runs as if it were absent', async () => {
  const { api } = server
  const graph = {
    nodes: [
      node('input', 'input', { title: null, desc: null }),
      node('ask', 'multimodal_dialogue_and_information_extractor', {
        id: null,
        parameters: [{ name: 'size', type: 'select', description: null, options: null }],
        instruction: null,
        role: null,
      }),
      node('out', 'output', { answer: 'echo: {{#sys.query#}}', retry: null, timeout_ms: null }),
      node('end', 'end', {}),
    ],
    edges: [
      { ...edge('input', 'out'), data: null },
      { ...edge('out', 'end'), data: { case: null } },
    ],
  }
  const { id, warnings } = await dataOf(api.post('workflow/create', { workflow: graph }))
  const nulls = warnings.filter(({ rule }: { rule: string }) => rule === 'null_setting')
  assert.ok(nulls.every(({ blocking }: { blocking: boolean }) => !blocking))
  assert.deepEqual(nulls.map(({ path }: { path: string }) => path.replace('/workflow/', '')).sort(), [
    ...['edges/0/data', 'edges/1/data/case', 'nodes/0/data/desc', 'nodes/0/data/title'],
    ...['nodes/1/data/id', 'nodes/1/data/instruction', 'nodes/1/data/parameters/0/description'],
    ...['nodes/1/data/parameters/0/options', 'nodes/1/data/role'],
    ...['nodes/2/data/retry', 'nodes/2/data/timeout_ms'],
  ])
  const { workflow } = await dataOf(api.get(`workflow?id=${id}`))
  assert.deepEqual(workflow.config, graph)
  const runnable = { ...graph, nodes: graph.nodes.filter(each => each.id !== 'ask') }
  await dataOf(api.post('workflow/update', { id, workflow: runnable }))
  const run = await dataOf(api.post('workflow/run', { id, inputs: { query: 'x' } }))
  assert.deepEqual([run.status, run.answer], ['succeeded', 'echo: x'])
  const empty = { ...runnable, nodes: [null] }
  assert.equal((await api.post('workflow/update', { id, workflow: empty })).json.code, 42201)
})
