import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { jsonObject } from '../../src/http/answer.ts'
import { detailsOnWire, resultMembers } from '../../src/http/routes/run-routes.ts'
import { newRun, step } from '../conformance/run-world.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { openEvents, type SentEvent } from '../support/event-reader.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeAgent, makeWorkflow, openTalk, runOf, runWorkflow, say } from '../support/talk.ts'
import { startTestServer, type TestServer, operatorToken as token } from '../support/test-server.ts'
import { node } from '../workflow/graphs.ts'

type Data = ApiAnswer['json']

let server: TestServer
let api: ApiClient
/** Says hello. */
let hello: string
/** Asks for a size, then says it. */
let asking: string

before(async () => {
  server = await startTestServer({ DEMO: 'off' })
  api = server.api
  hello = await makeWorkflow(api, chain(output('say', 'Hello {{#sys.query#}}')))
  asking = await makeWorkflow(
    api,
    chain(node('ask', 'question', { question: 'Which size?' }), output('say', 'You took {{#ask.answer#}}')),
  )
})
after(() => server.stop())

const events = async (
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<SentEvent[]> => (await openEvents(server.base, path, { token, body, headers })).rest()

const countRuns = async (id: string): Promise<number> =>
  (await dataOf(api.get(`workflow/runs?id=${id}`))).total

const boundTo = async (...agents: string[]): Promise<ApiClient> => {
  const body = { name: 'bound', role: 'runner', agent_ids: agents }
  return api.as((await dataOf(api.post('token/create', body))).token)
}

test('takes the query at the top level, and `stream` as a boolean', async () => {
  const { answer } = await dataOf(api.post('workflow/run', { id: hello, query: 'you', stream: false }))
  assert.equal(answer, 'Hello you')
  const both = { id: hello, query: 'you', inputs: { query: 'all' } }
  assert.equal((await dataOf(api.post('workflow/run', both))).answer, 'Hello all')
  const streamed = await events('workflow/run', { id: hello, query: 'you', stream: true })
  assert.equal(streamed.at(-1)!.event, 'run.finished')
  const wrong = await api.post('workflow/run', { id: hello, stream: '1' })
  assert.equal(wrong.json.message, '/stream must be one of 0, 1, false, true')
})

describe('a run on the wire', () => {
  const error = { reason: 'model_failed', message: 'no', step: 'a/1/llm_1' } as const
  const failed = newRun('run_1', {
    status: 'failed',
    error,
    inputs: '{"query":"Hi","files":[],"more":{"city":"Xi’an"}}',
  })

  test('arrives complete when it is long', async () => {
    const id = await makeWorkflow(api, chain(output('say', '{{#sys.query#}}'.repeat(8))))
    // With one more character before them, other pairs of surrogates are where the response is split.
    for (const query of ['😀'.repeat(30_000), `a${'😀'.repeat(30_000)}`])
      assert.equal((await runWorkflow(api, id, query)).answer, query.repeat(8))
  })

  test('fails with too many characters of messages, but not with those that the user does not get', async () => {
    const inner = await makeWorkflow(api, chain(output('say', 'x'.repeat(90_000))))
    const repeated = node('each', 'iteration', { items: '{{#sys.inputs.list#}}', workflow_id: inner })
    const silent = await makeWorkflow(api, chain(repeated))
    const list = Array.from({ length: 15 }, (_, at) => at)
    const run = await dataOf(api.post('workflow/run', { id: silent, inputs: { query: 'q', list }, wait: 60 }))
    assert.equal(run.status, 'succeeded', JSON.stringify(run.error))
    const shown = list.map(at => node(`call${at}`, 'workflow', { workflow_id: inner }))
    const loud = await runWorkflow(api, await makeWorkflow(api, chain(...shown)), 'q')
    assert.match(loud.error.message, /more than 1 million characters/)
  })

  test('holds its stored JSON verbatim', () => {
    const outputs = '{"text":"Hello","big":9007199254740993,"__proto__":1}'
    const { text } = jsonObject(resultMembers({ run: { ...failed, outputs }, messages: [] }))
    assert.ok(text.includes(`"outputs":${outputs}`))
    const details = detailsOnWire(failed, [step('input', { inputs: '{"n": 9007199254740993}' })])
    assert.ok(details.text.includes('"inputs":{"n": 9007199254740993}'))
  })

  test('has every node, its inputs in the form of the request, and null where something is missing', () => {
    const steps = [
      step('a/1/llm_1', { status: 'failed', error, attempts: 3, inputs: undefined, outputs: undefined }),
      step('late', { status: 'running', finishedAt: undefined }),
    ]
    const { nodes, inputs, finished_at } = JSON.parse(detailsOnWire(failed, steps).text) as Data
    assert.deepEqual(nodes[0], {
      node_id: 'llm_1',
      path: 'a/1/llm_1',
      kind: 'llm',
      title: 'Step a/1/llm_1',
      status: 'failed',
      inputs: null,
      outputs: null,
      error: { reason: 'model_failed', message: 'no', node_id: 'a/1/llm_1' },
      attempts: 3,
      tokens: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
      cost: 0,
      started_at: '1970-01-01T00:00:01.100+00:00',
      finished_at: '1970-01-01T00:00:01.200+00:00',
      elapsed_ms: 100,
    })
    assert.deepEqual([nodes[1].finished_at, nodes[1].elapsed_ms, finished_at], [null, null, null])
    assert.deepEqual(inputs, { query: 'Hi', files: [], city: 'Xi’an' })
  })
})

describe('the inputs of a run', () => {
  test('are the query, the files and everything else that was sent', async () => {
    const { file_id } = await dataOf(api.upload('a.txt', 'content'))
    const id = await makeWorkflow(
      api,
      chain(
        output('say', '{{#sys.files.1.name#}} {{#sys.inputs.city.x.0#}} {{#sys.action#}} {{#sys.user_id#}}'),
      ),
    )
    const inputs = { files: [file_id, { file_id }], action: 'a', city: { x: [1] } }
    const run = await dataOf(api.post('workflow/run', { id, inputs, version: 1, user_id: 'u' }))
    assert.equal(run.answer, 'a.txt 1 a u')
    const file = { file_id, name: 'a.txt', mime_type: 'text/plain', size: 7 }
    assert.deepEqual((await runOf(api, run.run_id)).inputs, { query: '', ...inputs, files: [file, file] })
    const bare = await dataOf(api.post('workflow/run', { id: hello }))
    assert.deepEqual((await runOf(api, bare.run_id)).inputs, { query: '', files: [] })
  })

  test('name only files of the own workspace; otherwise nothing runs', async () => {
    const own = (await dataOf(api.upload('a.txt', 'content'))).file_id
    const other = api.as((await dataOf(api.post('workspace/create', { name: 'other' }))).token)
    const theirs = (await dataOf(other.upload('b.txt', 'theirs'))).file_id
    const before = await countRuns(hello)
    for (const file of ['file_unknown', theirs, { file_id: theirs }]) {
      const { json } = await api.post('workflow/run', { id: hello, inputs: { files: [own, file] } })
      assert.deepEqual([json.code, json.data.errors[0].path], [40001, '/inputs/files/1'])
    }
    assert.equal(await countRuns(hello), before)
  })

  test('have limits', async () => {
    for (const [more, path] of [
      [{ wait: 601 }, '/wait'],
      [{ inputs: { query: 'a\u0000' } }, '/inputs/query'],
      [{ inputs: { files: Array(21).fill('file_x') } }, '/inputs/files'],
      [{ inputs: Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`k${at}`, at])) }, '/inputs'],
      [{ user_id: 'u'.repeat(129) }, '/user_id'],
    ] as const) {
      const { json } = await api.post('workflow/run', { id: hello, ...more })
      assert.equal(json.code, 40001, JSON.stringify(more))
      assert.ok(
        json.data.errors.some((error: { path: string }) => error.path.startsWith(path)),
        path,
      )
    }
    const large = { id: hello, inputs: { text: 'x'.repeat(2 << 20) } }
    assert.equal((await api.post('workflow/run', large)).json.code, 41301)
  })

  test('hold no number that JSON cannot round-trip', async () => {
    const headers = { 'content-type': 'application/json' }
    for (const number of ['1e400', '-1e400', '9007199254740993', '1'.repeat(400)]) {
      const text = `{"id":"${hello}","inputs":{"query":"1234567890123456","a/b":[0,${number}]}}`
      const { status, json } = await api.post('workflow/run', text, { headers })
      assert.deepEqual([status, json.code, json.data.errors[0].path], [400, 40001, '/inputs/a~1b/1'])
    }
    const fine = `{"id":"${hello}","inputs":{"a":1e300,"b":9007199254740991,"c":0.12345678901234567}}`
    assert.equal((await api.post('workflow/run', fine, { headers })).status, 200)
  })
})

describe('an Idempotency-Key', () => {
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
  const request = async (graph = chain(output('say', 'Hello'))) => ({
    id: await makeWorkflow(api, graph),
    inputs: { query: 'Hi' },
  })

  test('replays the first response without a second run', async () => {
    const body = await request()
    const first = await api.post('workflow/run', body, keyed('a'))
    const again = await api.post('workflow/run', body, keyed('a'))
    assert.equal(first.text, again.text)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    const other = { ...body, inputs: { query: 'Bye' } }
    assert.equal((await api.post('workflow/run', other, keyed('a'))).json.code, 40901)
    assert.equal(await countRuns(body.id), 1)
  })

  test('replays a streamed run from its first event', async () => {
    const body = { ...(await request()), stream: 1 }
    const first = await events('workflow/run', body, keyed('s').headers)
    assert.deepEqual([first[0]!.event, first.at(-1)!.event], ['run.started', 'run.finished'])
    assert.deepEqual(await events('workflow/run', body, keyed('s').headers), first)
    assert.equal(await countRuns(body.id), 1)
  })

  test('returns 409 for a different request, ignoring stream and wait in the comparison', async () => {
    const body = await request()
    await events('workflow/run', { ...body, stream: 1 }, keyed('k').headers)
    const other = { ...body, inputs: { query: 'Bye' } }
    for (const different of [{ ...other, stream: 1 }, other, { ...body, version: 1 }])
      assert.equal((await api.post('workflow/run', different, keyed('k'))).json.code, 40901)
    for (const same of [body, { ...body, wait: 1 }, { ...body, stream: 0, wait: 0 }])
      assert.equal((await api.post('workflow/run', same, keyed('k'))).json.data.status, 'succeeded')
    const { items } = await dataOf(api.get(`workflow/runs?id=${body.id}`))
    assert.equal(items.length, 1)
    assert.doesNotMatch((await api.get(`workflow/runs/${items[0].run_id}`)).text, /fingerprint/)
  })

  test('is scoped to its token', async () => {
    const editor = (await dataOf(api.post('token/create', { name: 'e', role: 'editor' }))).token
    const body = await request()
    await api.post('workflow/run', body, keyed('t'))
    await api.as(editor).post('workflow/run', body, keyed('t'))
    assert.equal(await countRuns(body.id), 2)
  })
})

describe('the events of a run', () => {
  test('continue after Last-Event-ID, which takes precedence over after', async () => {
    const all = await events('workflow/run', { id: hello, stream: 1 })
    const path = `workflow/runs/${all[0]!.data.run_id}/events`
    const second = all[1]!.id
    assert.deepEqual(await events(`${path}?after=${second}`, undefined, { 'last-event-id': '0' }), all)
    assert.deepEqual(await events(path, undefined, { 'last-event-id': '9999' }), [])
  })

  test('need a number to continue after, and a run', async () => {
    const { run_id } = await runWorkflow(api, hello, 'x')
    for (const last of ['x', '-1', '1.5', '1e3', '99999999999999999999', '1, 2']) {
      const path = `workflow/runs/${run_id}/events`
      const { status, json } = await api.get(path, { headers: { 'last-event-id': last } })
      assert.deepEqual([status, json?.code], [400, 40001], last)
      assert.equal(json.data.errors[0].path, 'header/Last-Event-ID')
    }
    for (const query of ['after=x', 'after=-1', 'after=1.5'])
      assert.equal((await api.get(`workflow/runs/${run_id}/events?${query}`)).json.code, 40001, query)
    assert.equal((await api.post('workflow/run', { id: 'wf_none', stream: 1 })).json.code, 40401)
  })
})

test('a list shows how long answers begin', async () => {
  const id = await makeWorkflow(api, chain(output('say', '字'.repeat(2000))))
  await runWorkflow(api, id, '')
  const { items } = await dataOf(api.get(`workflow/runs?id=${id}`))
  assert.equal(items[0].answer, '字'.repeat(500))
  assert.match(items[0].created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
  assert.equal((await api.get('workflow/runs?id=a b')).json.code, 40001)
})

test('the answer to a waiting run may have files of the workspace', async () => {
  const { run_id } = await runWorkflow(api, asking, '')
  const path = `workflow/runs/${run_id}/resume`
  const { file_id } = await dataOf(api.upload('a.txt', 'content'))
  const missing = await api.post(path, { answer: 'L', files: ['file_none'] })
  assert.equal(missing.json.data.errors[0].path, '/files/0')
  assert.equal((await api.post(path, {})).json.data.errors[0].path, '/answer')
  const { status, answer } = await dataOf(api.post(path, { answer: 'L', files: [file_id] }))
  assert.deepEqual([status, answer], ['succeeded', 'You took L'])
})

test('debugging needs the id of a node', async () => {
  const { json } = await api.post('workflow/debug', { id: hello })
  assert.equal(json.data.errors[0].path, '/node_id')
})

describe('a token that is bound to agents', () => {
  test('runs no workflow directly', async () => {
    const { json } = await (await boundTo('agent_1')).post('workflow/run', { id: hello })
    assert.equal(json.code, 40301)
    assert.match(json.message, /conversation\/chat/)
  })

  test('sees the runs of its agents without the inputs of their nodes, and no others', async () => {
    const secret = chain(
      node('text', 'template', { template: 'secret {{#sys.query#}}' }),
      output('say', 'said'),
    )
    const [agent, second, third] = [
      await makeAgent(api, { workflow_id: await makeWorkflow(api, secret) }),
      await makeAgent(api),
      await makeAgent(api),
    ]
    const { run_id } = await say(api, await openTalk(api, agent!), 'plan')
    const own = await boundTo(agent!)
    const seen = await own.get(`workflow/runs/${run_id}`)
    assert.equal(seen.json.data.run_id, run_id)
    const inputsOf = (run: Data) => run.nodes.find((each: Data) => each.node_id === 'text').inputs
    assert.equal(inputsOf(seen.json.data), null)
    assert.deepEqual(inputsOf(await runOf(api, run_id)), { template: 'secret plan' })
    assert.equal((await own.get(`workflow/runs/${run_id}/events`)).status, 200)
    assert.equal((await own.get('workflow/runs')).json.data.total, 1)
    const other = await boundTo(second!, third!)
    for (const path of [`workflow/runs/${run_id}`, `workflow/runs/${run_id}/events`])
      assert.equal((await other.get(path)).json.code, 40401)
    assert.equal((await other.get(`workflow/runs?agent_id=${agent}`)).json.code, 40301)
    assert.equal((await other.get('workflow/runs')).json.code, 40001)
    assert.equal((await other.get(`workflow/runs?agent_id=${third}`)).json.data.total, 0)
  })
})
