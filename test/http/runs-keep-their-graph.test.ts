import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Graph } from '../../src/workflow/graph.ts'
import type { ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeWorkflow, runWorkflow } from '../support/talk.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

let server: TestServer
let api: ApiClient
before(async () => {
  server = await startTestServer({ DEMO: 'off' })
  api = server.api
})
after(() => server.stop())

const asking = (name: string): Graph =>
  chain(node('ask', 'question', { question: 'Who?' }), output('say', `${name}: {{#ask.answer#}}`))

/** Deletes a workflow and stores another graph under its id. */
async function replace(id: string, graph: Graph): Promise<void> {
  await dataOf(api.post('workflow/delete', { id }))
  await dataOf(api.post('workflow/update', { id, workflow: graph }))
}

const resume = (runId: string) => dataOf(api.post(`workflow/runs/${runId}/resume`, { answer: 'Ada' }))

test('a waiting run resumes on the graph it started with, not on one created under the same id', async () => {
  const id = await makeWorkflow(api, asking('old'))
  const { run_id, status } = await runWorkflow(api, id, '')
  assert.equal(status, 'waiting')
  await replace(id, asking('new'))
  assert.equal((await resume(run_id)).answer, 'old: Ada')
  const { run_id: next } = await runWorkflow(api, id, '')
  assert.equal((await resume(next)).answer, 'new: Ada')
})

test('a deleted graph is found by the run that started with it only', async () => {
  const id = await makeWorkflow(api, asking('old'))
  const { run_id } = await runWorkflow(api, id, '')
  await dataOf(api.post('workflow/delete', { id }))
  for (const version of [undefined, 1])
    assert.equal((await api.post('workflow/run', { id, version, inputs: {} })).status, 404)
  assert.equal((await api.get(`workflow/version?id=${id}&version=1`)).status, 404)
  assert.equal((await resume(run_id)).answer, 'old: Ada')
})

test('a workflow inside a waiting run keeps its graph, and so does every item of an iteration', async () => {
  const inner = await makeWorkflow(api, asking('old'))
  const outer = await makeWorkflow(api, chain(node('inner', 'workflow', { workflow_id: inner })))
  const each = await makeWorkflow(
    api,
    chain(
      node('each', 'iteration', { items: [1, 2], workflow_id: inner }),
      output('say', '{{#each.result#}}'),
    ),
  )
  const [nested, items] = [await runWorkflow(api, outer, ''), await runWorkflow(api, each, '')]
  assert.deepEqual([nested.status, items.status], ['waiting', 'waiting'])
  await replace(inner, asking('new'))
  assert.equal((await resume(nested.run_id)).answer, 'old: Ada')
  assert.equal((await resume(items.run_id)).status, 'waiting')
  assert.deepEqual(JSON.parse((await resume(items.run_id)).answer), ['old: Ada', 'old: Ada'])
})

test('the test of a single node keeps its graph', async () => {
  const id = await makeWorkflow(api, asking('old'))
  const { run_id, status } = await dataOf(api.post('workflow/debug', { id, node_id: 'ask' }))
  assert.equal(status, 'waiting')
  await replace(id, chain(output('ask', 'another node')))
  assert.equal((await resume(run_id)).status, 'succeeded')
})

test('130 items of a workflow with four nodes are all processed', async () => {
  const inner = await makeWorkflow(
    api,
    chain(node('t', 'template', { template: '{{#sys.item#}}' }), output('say', '{{#t.text#}}')),
  )
  const items = Array.from({ length: 130 }, (_, index) => index)
  const each = node('each', 'iteration', { items, workflow_id: inner, parallel: 10 })
  const id = await makeWorkflow(api, chain(each, output('say', '{{#each.result#}}')))
  const { status, answer, error } = await runWorkflow(api, id, '')
  assert.equal(status, 'succeeded', error?.message)
  assert.deepEqual(JSON.parse(answer), items.map(String))
})
