import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { openEvents, textOfDeltas } from '../support/event-reader.ts'
import { Gates } from '../support/gates.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, echoGraph, output } from '../support/run-graphs.ts'
import { lastUserText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { makeWorkflow, runOf, runWorkflow, timesAsked } from '../support/talk.ts'
import { startTestServer, type TestServer, operatorToken as token } from '../support/test-server.ts'
import { until } from '../support/watch.ts'
import { node } from '../workflow/graphs.ts'

type Data = ApiAnswer['json']

const gates = new Gates()
let model: ScriptedModel
let server: TestServer
let api: ApiClient
before(async () => {
  model = await startScriptedModel()
  server = await startTestServer({ ...model.environment, DEMO: 'off' })
  api = server.api
  model.play(body => ({
    beforePiece: piece => (piece === 1 ? gates.pass(`middle of ${lastUserText(body)}`) : undefined),
  }))
})
after(async () => {
  await server.stop()
  await model.stop()
})

const streamRun = (id: string, query: string) =>
  openEvents(server.base, 'workflow/run', { token, body: { id, inputs: { query }, stream: 1 } })

test('keeps the output of many concurrent runs separate', async () => {
  const id = await makeWorkflow(api, echoGraph())
  await Promise.all(
    Array.from({ length: 60 }, async (_, run) => {
      const query = `question ${run} ${'x'.repeat(run)}`
      const events = await (await streamRun(id, query)).rest()
      assert.equal(
        textOfDeltas(events, data => data.node_id === 'say'),
        `A: echo: ${query}`,
      )
      assert.equal(events.at(-1)!.data.answer, `A: echo: ${query}`)
      const runs = new Set(events.map(({ data }) => data.run_id))
      assert.equal(runs.size, 1)
    }),
  )
  assert.equal((await dataOf(api.get(`workflow/runs?id=${id}&status=succeeded`))).total, 60)
})

test('closes the connections of clients that disconnect', async () => {
  const id = await makeWorkflow(api, echoGraph())
  const sockets = (): number =>
    process.getActiveResourcesInfo().filter(name => name === 'TCPSocketWrap').length
  gates.hold('middle of a crowd')
  const first = await streamRun(id, 'a crowd')
  const { run_id } = (await first.next())!.data
  await gates.reached('middle of a crowd')
  const before = sockets()
  const readers = await Promise.all(
    Array.from({ length: 80 }, () => openEvents(server.base, `workflow/runs/${run_id}/events`, { token })),
  )
  await Promise.all(readers.map(reader => reader.next()))
  assert.ok(sockets() >= before + 80)
  await Promise.all(readers.map(reader => reader.leave()))
  // The HTTP client of the test may keep one or two connections alive.
  await until('their connections are closed', async () => sockets() <= before + 2, 10)
  gates.open()
  assert.equal((await first.rest()).at(-1)!.data.status, 'succeeded')
})

test('runs once for repeated requests with the same Idempotency-Key', async () => {
  const id = await makeWorkflow(api, echoGraph())
  const headers = { 'idempotency-key': 'once-and-for-all' }
  const body = { id, inputs: { query: 'pay once' } }
  gates.hold('middle of pay once')
  const answers = [api.post('workflow/run', body, { headers }), api.post('workflow/run', body, { headers })]
  await gates.reached('middle of pay once')
  gates.open()
  const [one, two] = await Promise.all(answers)
  // The second request may get 409 while the first is in progress, but never starts a second run.
  for (const { status, json } of [one!, two!])
    if (status === 200)
      assert.deepEqual([json.data.status, json.data.answer], ['succeeded', 'A: echo: pay once'])
    else assert.equal(status, 409)
  const three = await dataOf(api.post('workflow/run', body, { headers }))
  assert.equal(three.answer, 'A: echo: pay once')
  assert.equal(timesAsked(model, 'pay once'), 1)
  assert.equal((await dataOf(api.get(`workflow/runs?id=${id}`))).total, 1)
  const other = await api.post('workflow/run', { id, inputs: { query: 'something else' } }, { headers })
  assert.equal(other.json.code, 40901)
})

test('stores an output of megabytes and passes it to later nodes', async () => {
  const code =
    "function main({ n }) { return { long: '榕'.repeat(n), list: Array.from({ length: 3 }, (_, i) => i) } }"
  const graph = chain(
    node('make', 'code', { code, inputs: { n: 700_000 } }),
    node('measure', 'code', {
      code: 'function main({ text }) { return { length: text.length } }',
      inputs: { text: '{{#make.long#}}' },
    }),
    output('say', '{{#measure.length#}} {{#make.list.2#}}'),
  )
  const { run_id, status, answer, error } = await runWorkflow(api, await makeWorkflow(api, graph), '')
  assert.deepEqual([status, answer], ['succeeded', '700000 2'], JSON.stringify(error))
  const { nodes } = await runOf(api, run_id)
  assert.equal(nodes.find(({ node_id }: Data) => node_id === 'measure').outputs.length, 700_000)
  const events = await openEvents(server.base, `workflow/runs/${run_id}/events`, { token })
  assert.equal((await events.rest()).at(-1)!.event, 'run.finished')
  assert.ok(events.text().length < 1_000_000, 'events stay small')
})
