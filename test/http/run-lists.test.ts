import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { dataOf } from '../support/knowledge.ts'
import { echoGraph } from '../support/run-graphs.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { makeWorkflow } from '../support/talk.ts'
import { startTestServer, type TestServer, operatorToken as token } from '../support/test-server.ts'
import { until } from '../support/watch.ts'

let model: ScriptedModel
let server: TestServer
let api: ApiClient
before(async () => {
  model = await startScriptedModel()
  server = await startTestServer({ ...model.environment, DEMO: 'off' })
  api = server.api
})
after(async () => {
  await server.stop()
  await model.stop()
})

const run = (id: string, query: string, more = {}) =>
  dataOf(api.post('workflow/run', { id, inputs: { query }, ...more }))

const found = async (filter: Record<string, string>) => {
  const { items } = await dataOf(api.get(`workflow/runs?${new URLSearchParams(filter)}`))
  return (items as { question: string }[]).map(({ question }) => question)
}

test('finds runs by user, time and any part of the question or the answer', async () => {
  const id = await makeWorkflow(api, echoGraph())
  await run(id, 'What does shipping cost?', { user_id: 'ann' })
  await run(id, '退货需要几天？', { user_id: 'bob' })
  await until('the text is indexed', async () => (await found({ id, keyword: '退货' })).length === 1)
  await until('the text is indexed', async () => (await found({ id, keyword: 'shipping' })).length === 1)
  assert.deepEqual(await found({ id, keyword: 'SHIPP' }), ['What does shipping cost?'])
  // Part of the answer alone.
  assert.equal((await found({ id, keyword: 'A: echo' })).length, 2)
  assert.deepEqual(await found({ id, keyword: 'no such text' }), [])
  assert.deepEqual(await found({ id, user_id: 'ann', status: 'succeeded' }), ['What does shipping cost?'])
  assert.deepEqual(await found({ id, user_id: 'ann', keyword: '退货' }), [])
  const { items } = await dataOf(api.get(`workflow/runs?id=${id}`))
  const [newest, oldest] = items
  assert.equal(typeof newest.cost, 'number')
  assert.deepEqual(await found({ id, from: newest.created_at }), ['退货需要几天？'])
  assert.deepEqual(await found({ id, to: newest.created_at, from: oldest.created_at }), [
    'What does shipping cost?',
  ])
  assert.deepEqual(await found({ id, to: '2020-01-01' }), [])
  const refused = await api.get('workflow/runs?from=yesterday')
  assert.equal(refused.status, 400)
  assert.equal(refused.json.data.errors[0].path, 'query/from')
})

test('reads on by cursor within filters', async () => {
  const id = await makeWorkflow(api, echoGraph())
  for (let at = 0; at < 5; at++) await run(id, `number ${at}`)
  await until('the texts are indexed', async () => (await found({ id, keyword: 'number' })).length === 5)
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const more = cursor === '' ? '' : `&cursor=${cursor}`
    const path = `workflow/runs?id=${id}&to=2100-01-01&keyword=number&page_size=2${more}`
    const page = await dataOf(api.get(path))
    seen.push(...page.items.map((item: { question: string }) => item.question))
    cursor = page.next_cursor
  }
  assert.deepEqual(seen, ['number 4', 'number 3', 'number 2', 'number 1', 'number 0'])
})

test('runs again with the same inputs, edited ones, and another version', async () => {
  const id = await makeWorkflow(api, echoGraph())
  const first = await run(id, 'once', { user_id: 'ann' })
  const again = await dataOf(api.post(`workflow/runs/${first.run_id}/rerun`, {}))
  assert.notEqual(again.run_id, first.run_id)
  assert.equal(again.answer, first.answer)
  const record = await dataOf(api.get(`workflow/runs/${again.run_id}`))
  assert.equal(record.rerun_of, first.run_id)
  assert.equal(record.user_id, 'ann')
  const edited = await dataOf(
    api.post(`workflow/runs/${first.run_id}/rerun`, { inputs: { query: 'twice' }, version: 'draft' }),
  )
  assert.match(edited.answer, /twice/)
  assert.equal((await api.post('workflow/runs/run_none/rerun', {})).status, 404)
})

test('downloads a run as JSON and as spans', async () => {
  const id = await makeWorkflow(api, echoGraph())
  const { run_id } = await run(id, 'to be exported')
  const path = `/api/v1/workflow/runs/${run_id}/export`
  const get = (query: string) =>
    fetch(`${server.base}${path}${query}`, { headers: { authorization: `Bearer ${token}` } })
  const json = await get('')
  assert.match(json.headers.get('content-disposition')!, new RegExp(`attachment.*${run_id}\\.json`))
  const details = (await json.json()) as { run_id: string; nodes: { node_id: string }[] }
  assert.equal(details.run_id, run_id)
  const otlp = (await (await get('?format=otlp')).json()) as {
    resourceSpans: { scopeSpans: { spans: { name: string; parentSpanId?: string; spanId: string }[] }[] }[]
  }
  const { spans } = otlp.resourceSpans[0]!.scopeSpans[0]!
  assert.equal(spans.length, details.nodes.length + 1)
  assert.ok(spans.slice(1).every(span => span.parentSpanId === spans[0]!.spanId))
})
