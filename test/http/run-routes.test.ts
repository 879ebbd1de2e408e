import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runRoutes } from '../../src/http/routes/run-routes.ts'
import type { ApiClient } from '../support/api-client.ts'
import { FakeRuns, stepOf } from '../support/fake-runs.ts'
import { type RouteServer, startRouteServer } from '../support/route-server.ts'

const anyQuestion = { path: 'q', question: '?', options: [], ordinal: 1 }

let server: RouteServer
let api: ApiClient
let runs: FakeRuns

interface Sent {
  id: number
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: event data differs by event type
  data: any
}

/** Parses the events of a complete response, skipping comments. */
const eventsIn = (text: string): Sent[] =>
  text
    .split('\n\n')
    .filter(block => block.startsWith('id: '))
    .map(block => {
      const [, id, event, data] = /^id: (\d+)\nevent: (\S+)\ndata: (.*)$/.exec(block) ?? []
      return { id: Number(id), event: event!, data: JSON.parse(data!) }
    })

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await sleep(5)
}

before(async () => {
  server = await startRouteServer(({ files }) => {
    // Delegates to `runs`, which every test replaces.
    const current = new Proxy({} as FakeRuns, {
      get: (_, name) => {
        const value = Reflect.get(runs, name, runs)
        return typeof value === 'function' ? value.bind(runs) : value
      },
    })
    return runRoutes(current, files)
  })
  api = server.api
})
after(() => server.stop())
beforeEach(() => {
  runs = new FakeRuns()
})

const hello = { id: 'wf_hello', inputs: { query: 'Hi' } }

describe('running a workflow', () => {
  it('returns the result of the run', async () => {
    runs.script = run => {
      run.say('Hello')
      run.settle({
        status: 'succeeded',
        answer: 'Hello',
        outputs: '{"text":"Hello","big":9007199254740993,"__proto__":1}',
        promptTokens: 5,
        completionTokens: 2,
        activeMilliseconds: 33,
      })
    }
    const { status, json, text } = await api.post('workflow/run', hello)
    assert.equal(status, 200)
    const { run_id, outputs, ...rest } = json.data
    assert.match(run_id, /^run_/)
    assert.equal(outputs.text, 'Hello')
    assert.deepEqual(rest, {
      status: 'succeeded',
      answer: 'Hello',
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
      elapsed_ms: 33,
      error: null,
      waiting: null,
      messages: [{ message_id: 'msg_1', data_type: 'text', content: 'Hello', file_list: [], timestamp: 17 }],
    })
    assert.match(text, /"big":9007199254740993,"__proto__":1/, 'outputs are sent verbatim')
  })

  it('passes the query, the files and all other inputs to the run', async () => {
    const file = (await api.upload('a.txt', 'content')).json.data
    const sent = {
      query: 'Hi',
      files: [file.file_id, { file_id: file.file_id }],
      action: 'a',
      city: { x: [1] },
    }
    const body = { id: 'wf_hello', inputs: sent, version: 3, user_id: 'u' }
    assert.equal((await api.post('workflow/run', body)).status, 200)
    const runFile = { file_id: file.file_id, name: 'a.txt', mime_type: 'text/plain', size: 7 }
    assert.deepEqual(runs.requests, [
      {
        what: { workflowId: 'wf_hello', version: 3 },
        trigger: 'run',
        inputs: { query: 'Hi', files: [runFile, runFile], action: 'a', more: { city: { x: [1] } } },
        userId: 'u',
      },
    ])
    await api.post('workflow/run', { id: 'wf_hello' })
    assert.deepEqual(runs.requests[1]!.inputs, { query: '', files: [], action: '', more: {} })
  })

  it('reports the missing file and starts no run', async () => {
    const own = (await api.upload('a.txt', 'content')).json.data.file_id
    const other = api.as((await api.post('workspace/create', { name: 'other' })).json.data.token)
    const theirs = (await other.upload('b.txt', 'theirs')).json.data.file_id
    for (const files of [
      [own, 'file_unknown'],
      [own, theirs],
      [own, { file_id: theirs }],
    ]) {
      const { json } = await api.post('workflow/run', { id: 'wf_hello', inputs: { files } })
      assert.equal(json.code, 40001)
      assert.equal(json.data.errors[0].path, '/inputs/files/1')
    }
    assert.equal(runs.requests.length, 0)
  })

  it('returns 200 with the error when the run fails', async () => {
    runs.script = run =>
      run.settle({ status: 'failed', error: { reason: 'model_failed', message: 'Set a key', step: 'llm_1' } })
    const { status, json } = await api.post('workflow/run', hello)
    assert.deepEqual([status, json.code, json.data.status], [200, 0, 'failed'])
    assert.deepEqual(json.data.error, { reason: 'model_failed', message: 'Set a key', node_id: 'llm_1' })
  })

  it('returns the question of a waiting run', async () => {
    const question = { path: 'ask', question: 'Which size?', options: ['S', 'L'], ordinal: 1 }
    runs.script = run => run.settle({ status: 'waiting', waiting: question })
    const { data } = (await api.post('workflow/run', hello)).json
    assert.deepEqual(
      [data.status, data.waiting, data.outputs],
      ['waiting', { node_id: 'ask', question: 'Which size?', options: ['S', 'L'] }, null],
    )
  })

  it('returns the running state when the wait expires and lets the run continue', async () => {
    runs.script = () => {}
    const { data } = (await api.post('workflow/run', { ...hello, wait: 0 })).json
    assert.equal(data.status, 'running')
    const [run] = runs.runs.values()
    run!.settle({ status: 'succeeded', answer: 'late' })
    assert.equal((await api.get(`workflow/runs/${data.run_id}`)).json.data.answer, 'late')
  })

  it('rejects out-of-range fields and reports their paths', async () => {
    for (const [more, path] of [
      [{ stream: 2 }, '/stream'],
      [{ stream: '1' }, '/stream'],
      [{ wait: 601 }, '/wait'],
      [{ version: 0 }, '/version'],
      [{ inputs: [] }, '/inputs'],
      [{ inputs: { query: 5 } }, '/inputs/query'],
      [{ inputs: { query: 'a\u0000' } }, '/inputs/query'],
      [{ inputs: { files: 'file_x' } }, '/inputs/files'],
      [{ inputs: { files: Array(21).fill('file_x') } }, '/inputs/files'],
      [{ user_id: 'u'.repeat(129) }, '/user_id'],
      [{ id: undefined }, '/id'],
    ] as const) {
      const { json } = await api.post('workflow/run', { ...hello, ...more })
      assert.equal(json.code, 40001, JSON.stringify(more))
      assert.ok(
        json.data.errors.some((error: { path: string }) => error.path.startsWith(path)),
        path,
      )
    }
    assert.equal((await api.post('workflow/run', { id: 'wf_none' })).json.code, 40401)
    const large = { id: 'wf_hello', inputs: { text: 'x'.repeat(256 << 10) } }
    assert.equal((await api.post('workflow/run', large)).json.code, 41301)
  })

  it('returns 403 for tokens bound to agents and for viewers', async () => {
    const made = await api.post('token/create', { name: 'r', role: 'runner', agent_ids: ['agent_1'] })
    const { json } = await api.as(made.json.data.token).post('workflow/run', hello)
    assert.equal(json.code, 40301)
    assert.match(json.message, /conversation\/chat/)
    const viewer = (await api.post('token/create', { name: 'v', role: 'viewer' })).json.data.token
    assert.equal((await api.as(viewer).post('workflow/run', hello)).json.code, 40301)
    assert.equal(runs.requests.length, 0)
  })
})

describe('numbers that JSON cannot round-trip', () => {
  it('rejects them and reports their path', async () => {
    for (const number of ['1e400', '-1e400', '9007199254740993', '1'.repeat(400)]) {
      const text = `{"id":"wf_hello","inputs":{"query":"1234567890123456","a/b":[0,${number}]}}`
      const headers = { 'content-type': 'application/json' }
      const { status, json } = await api.post('workflow/run', text, { headers })
      assert.deepEqual([status, json.code, json.data.errors[0].path], [400, 40001, '/inputs/a~1b/1'])
    }
    const fine = '{"id":"wf_hello","inputs":{"a":1e300,"b":9007199254740991,"c":0.12345678901234567}}'
    const headers = { 'content-type': 'application/json' }
    assert.equal((await api.post('workflow/run', fine, { headers })).status, 200)
  })
})

describe('an Idempotency-Key', () => {
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

  it('replays the first response without a second run', async () => {
    const first = await api.post('workflow/run', hello, keyed('a'))
    const again = await api.post('workflow/run', hello, keyed('a'))
    assert.equal(first.text, again.text)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    const other = { id: 'wf_hello', inputs: { query: 'Bye' } }
    assert.equal((await api.post('workflow/run', other, keyed('a'))).json.code, 40901)
    assert.equal(runs.requests.length, 1)
  })

  it('replays a streamed run from its first event', async () => {
    runs.script = run => {
      run.say('once')
      run.settle({ status: 'succeeded' })
    }
    const body = { ...hello, stream: 1 }
    const first = eventsIn((await api.post('workflow/run', body, keyed('s'))).text)
    const again = eventsIn((await api.post('workflow/run', body, keyed('s'))).text)
    assert.equal(first.length, 3)
    assert.deepEqual(again, first)
    assert.equal(runs.requests.length, 1)
  })

  it('returns 409 for a different request, ignoring stream and wait in the comparison', async () => {
    const other = { id: 'wf_hello', inputs: { query: 'Bye' } }
    await api.post('workflow/run', { ...hello, stream: 1 }, keyed('k'))
    for (const body of [{ ...other, stream: 1 }, other, { ...hello, version: 1 }])
      assert.equal((await api.post('workflow/run', body, keyed('k'))).json.code, 40901)
    for (const body of [hello, { ...hello, wait: 1 }, { ...hello, stream: 0, wait: 0 }])
      assert.equal((await api.post('workflow/run', body, keyed('k'))).json.data.status, 'succeeded')
    assert.equal(runs.requests.length, 1)
    assert.doesNotMatch(
      (await api.get(`workflow/runs/${[...runs.runs.values()][0]!.record.id}`)).text,
      /fingerprint/,
    )
  })

  it('is scoped to its token', async () => {
    const editor = (await api.post('token/create', { name: 'e', role: 'editor' })).json.data.token
    const body = { ...hello, stream: 1 }
    await api.post('workflow/run', body, keyed('t'))
    await api.as(editor).post('workflow/run', body, keyed('t'))
    assert.equal(new Set([...runs.runs.keys()]).size, 2)
  })
})

describe('run events', () => {
  it('streams from the first event with increasing ids and resumes after Last-Event-ID', async () => {
    runs.script = run => {
      run.emit('node.delta', { node_id: 'llm_1', text: '一\n二' })
      run.settle({ status: 'succeeded' })
    }
    const answer = await api.post('workflow/run', { ...hello, stream: 1 })
    assert.match(answer.headers.get('content-type')!, /^text\/event-stream/)
    const events = eventsIn(answer.text)
    assert.deepEqual(
      events.map(({ id, event }) => [id, event]),
      [
        [1, 'run.started'],
        [2, 'node.delta'],
        [3, 'run.finished'],
      ],
    )
    assert.equal(events[1]!.data.text, '一\n二')

    const path = `workflow/runs/${events[0]!.data.run_id}/events`
    const numbers = async (query: string, last?: string): Promise<number[]> => {
      const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last }
      return eventsIn((await api.get(path + query, { headers })).text).map(({ id }) => id)
    }
    assert.deepEqual(await numbers(''), [1, 2, 3])
    assert.deepEqual(await numbers('', '1'), [2, 3])
    assert.deepEqual(await numbers('?after=2'), [3])
    assert.deepEqual(await numbers('?after=2', '0'), [1, 2, 3], 'Last-Event-ID takes precedence over after')
    assert.deepEqual(await numbers('', '99'), [])
  })

  it('returns 404 for an unknown run and 400 for an invalid event id', async () => {
    const { run_id } = (await api.post('workflow/run', hello)).json.data
    for (const last of ['x', '-1', '1.5', '1e3', '99999999999999999999', '1, 2']) {
      const path = `workflow/runs/${run_id}/events`
      const { status, json } = await api.get(path, { headers: { 'last-event-id': last } })
      assert.deepEqual([status, json?.code], [400, 40001], last)
      assert.equal(json.data.errors[0].path, 'header/Last-Event-ID')
    }
    for (const query of ['after=x', 'after=-1', 'after=1.5'])
      assert.equal((await api.get(`workflow/runs/${run_id}/events?${query}`)).json.code, 40001, query)
    for (const path of ['workflow/runs/run_none/events', 'workflow/runs/run_none'])
      assert.equal((await api.get(path)).json.code, 40401)
    assert.equal((await api.post('workflow/run', { id: 'wf_none', stream: 1 })).json.code, 40401)
  })

  it('releases the event reader when the client disconnects while the run continues', async () => {
    runs.script = () => {}
    const leave = new AbortController()
    const response = await fetch(`${server.base}/api/v1/workflow/run`, {
      method: 'POST',
      headers: { authorization: 'Bearer operator-token-of-the-tests', 'content-type': 'application/json' },
      body: JSON.stringify({ ...hello, stream: 1 }),
      signal: leave.signal,
    })
    await response.body!.getReader().read()
    await until(() => runs.readers === 1)
    leave.abort()
    await until(() => runs.readers === 0)
    const [run] = runs.runs.values()
    assert.equal(run!.record.status, 'running')
  })

  it('does not open the event stream for HEAD', async () => {
    runs.script = () => {}
    const { run_id } = (await api.post('workflow/run', { ...hello, wait: 0 })).json.data
    const answer = await api.call('HEAD', `workflow/runs/${run_id}/events`)
    assert.equal(answer.status, 200)
    assert.equal(runs.readers, 0)
  })
})

describe('run history', () => {
  it('lists and filters runs, newest first', async () => {
    const ids: string[] = []
    for (const status of ['succeeded', 'failed', 'succeeded'] as const) {
      runs.script = run => run.settle({ status, answer: '字'.repeat(2000) })
      ids.unshift((await api.post('workflow/run', hello)).json.data.run_id)
    }
    const listed = async (query: string) => (await api.get(`workflow/runs${query}`)).json.data
    const all = await listed('?page=1&page_size=10')
    assert.deepEqual([all.total, all.page, all.page_size], [3, 1, 10])
    assert.deepEqual(
      all.items.map((item: { run_id: string }) => item.run_id),
      ids,
    )
    assert.equal(all.items[0].answer, '字'.repeat(500))
    assert.match(all.items[0].created_at, /^2023-11-14T22:13:20\.\d{3}\+00:00$/)
    assert.equal((await listed('?status=failed')).items[0].run_id, ids[1])
    assert.equal((await listed('?id=wf_other')).total, 0)
    assert.equal((await listed('?agent_id=agent_1')).total, 0)
    assert.equal((await listed('?conversation_id=conv_1')).total, 0)
    for (const query of ['?status=done', '?page=0', '?page_size=101', '?id=a b'])
      assert.equal((await api.get(`workflow/runs${query}`)).json.code, 40001, query)
  })

  it('returns a run with every node and its stored JSON verbatim', async () => {
    runs.script = run => {
      const error = { reason: 'model_failed', message: 'no', step: 'a/1/llm_1' } as const
      run.steps.push(stepOf('input', { inputs: '{"n": 9007199254740993}', outputs: '{"text":"x"}' }))
      run.steps.push(stepOf('a/1/llm_1', { status: 'failed', error, attempts: 3 }))
      run.steps.push(stepOf('late', { status: 'running', finishedAt: undefined }))
      run.settle({ status: 'failed', error, outputs: undefined, finishedAt: 1_700_000_001_000 })
    }
    const body = { id: 'wf_hello', inputs: { query: 'Hi', city: 'Xi’an' } }
    const { run_id } = (await api.post('workflow/run', body)).json.data
    const { json, text } = await api.get(`workflow/runs/${run_id}`)
    assert.match(text, /"inputs":\{"n": 9007199254740993\}/)
    const [first, second, third] = json.data.nodes
    assert.deepEqual(second, {
      node_id: 'llm_1',
      path: 'a/1/llm_1',
      kind: 'llm',
      title: 'Answer',
      status: 'failed',
      inputs: null,
      outputs: null,
      error: { reason: 'model_failed', message: 'no', node_id: 'a/1/llm_1' },
      attempts: 3,
      tokens: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      started_at: '2023-11-14T22:13:20.000+00:00',
      finished_at: '2023-11-14T22:13:20.250+00:00',
      elapsed_ms: 250,
    })
    assert.deepEqual(first.outputs, { text: 'x' })
    assert.deepEqual([third.finished_at, third.elapsed_ms], [null, null])
    assert.deepEqual(json.data.inputs, { query: 'Hi', files: [], city: 'Xi’an' })
    assert.equal(json.data.finished_at, '2023-11-14T22:13:21.000+00:00')
  })

  it('hides runs from other workspaces', async () => {
    const { run_id } = (await api.post('workflow/run', hello)).json.data
    const other = api.as((await api.post('workspace/create', { name: 'elsewhere' })).json.data.token)
    assert.equal((await other.get('workflow/runs')).json.data.total, 0)
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['GET', '/events', undefined],
      ['POST', '/stop', {}],
      ['POST', '/resume', { answer: 'x' }],
    ] as const)
      assert.equal((await other.call(method, `workflow/runs/${run_id}${path}`, body)).json.code, 40401, path)
  })
})

describe('an active run', () => {
  const start = async (): Promise<string> =>
    (await api.post('workflow/run', { ...hello, wait: 0 })).json.data.run_id

  it('stops and keeps the partial answer', async () => {
    runs.script = run => {
      run.record = { ...run.record, answer: 'so far' }
    }
    const id = await start()
    const { data } = (await api.post(`workflow/runs/${id}/stop`)).json
    assert.deepEqual([data.run_id, data.status, data.answer], [id, 'stopped', 'so far'])
    assert.equal((await api.post(`workflow/runs/${id}/stop`)).json.data.status, 'stopped')
  })

  it('resumes with an answer exactly once', async () => {
    runs.script = run => run.settle({ status: 'waiting', waiting: anyQuestion })
    const { run_id } = (await api.post('workflow/run', hello)).json.data
    const file = (await api.upload('a.txt', 'content')).json.data.file_id
    runs.script = run => {
      run.say('Thanks')
      run.settle({ status: 'succeeded', answer: 'Thanks' })
    }
    const path = `workflow/runs/${run_id}/resume`
    assert.equal(
      (await api.post(path, { answer: 'L', files: ['file_none'] })).json.data.errors[0].path,
      '/files/0',
    )
    assert.equal((await api.post(path, {})).json.data.errors[0].path, '/answer')
    const { data } = (await api.post(path, { answer: 'L', files: [file] })).json
    assert.deepEqual([data.status, data.answer, data.waiting], ['succeeded', 'Thanks', null])
    const [run] = runs.runs.values()
    assert.deepEqual(
      run!.replies.map(({ text, files }) => [text, files.map(({ name }) => name)]),
      [['L', ['a.txt']]],
    )
    assert.equal((await api.post(path, { answer: 'L' })).json.code, 40901)
  })

  it('streams only the events after the answer', async () => {
    runs.script = run => run.settle({ status: 'waiting', waiting: anyQuestion })
    const { run_id } = (await api.post('workflow/run', hello)).json.data
    runs.script = run => run.settle({ status: 'succeeded' })
    const { text } = await api.post(`workflow/runs/${run_id}/resume`, { answer: 'L', stream: 1 })
    assert.deepEqual(
      eventsIn(text).map(({ event }) => event),
      ['run.finished'],
    )
  })

  it('rejects a resume of a conversation run, which is answered through the chat', async () => {
    runs.script = run => {
      run.record = { ...run.record, trigger: 'chat' }
      run.settle({ status: 'waiting', waiting: anyQuestion })
    }
    const { run_id } = (await api.post('workflow/run', hello)).json.data
    const { json } = await api.post(`workflow/runs/${run_id}/resume`, { answer: 'L' })
    assert.equal(json.code, 40902)
    assert.match(json.message, /conversation\/chat/)
  })

  it('can be stopped by a runner of its agent but not by other runners', async () => {
    runs.script = () => {}
    const id = await start()
    const [run] = runs.runs.values()
    run!.record = { ...run!.record, agentId: 'agent_1' }
    const bound = async (agent: string): Promise<ApiClient> => {
      const body = { name: agent, role: 'runner', agent_ids: [agent] }
      return api.as((await api.post('token/create', body)).json.data.token)
    }
    const otherRunner = await bound('agent_2')
    assert.equal((await otherRunner.post(`workflow/runs/${id}/stop`)).json.code, 40401)
    assert.equal((await otherRunner.post(`workflow/runs/${id}/resume`, { answer: 'x' })).json.code, 40401)
    assert.equal(run!.record.status, 'running')
    const own = await bound('agent_1')
    assert.equal((await own.post(`workflow/runs/${id}/stop`)).json.data.status, 'stopped')
  })

  it('is visible without node inputs to a runner of its agent but not to other runners', async () => {
    const id = (await api.post('workflow/run', hello)).json.data.run_id
    const [run] = runs.runs.values()
    run!.record = { ...run!.record, agentId: 'agent_1' }
    run!.steps.push(stepOf('llm', { inputs: '{"system":"secret"}', outputs: '{"text":"said"}' }))
    const bound = async (...agents: string[]): Promise<ApiClient> => {
      const body = { name: 'bound', role: 'runner', agent_ids: agents }
      return api.as((await api.post('token/create', body)).json.data.token)
    }
    const own = await bound('agent_1')
    const seen = await own.get(`workflow/runs/${id}`)
    assert.deepEqual([seen.json.data.run_id, seen.json.data.nodes[0].inputs], [id, null])
    assert.doesNotMatch(seen.text, /secret/)
    assert.match((await api.get(`workflow/runs/${id}`)).text, /secret/)
    assert.equal(eventsIn((await own.get(`workflow/runs/${id}/events`)).text).at(-1)?.event, 'run.finished')
    assert.equal((await own.get('workflow/runs')).json.data.total, 1)
    const other = await bound('agent_2', 'agent_3')
    assert.equal((await other.get(`workflow/runs/${id}`)).json.code, 40401)
    assert.equal((await other.get(`workflow/runs/${id}/events`)).json.code, 40401)
    assert.equal((await other.get('workflow/runs?agent_id=agent_1')).json.code, 40301)
    assert.equal((await other.get('workflow/runs')).json.code, 40001)
    assert.equal((await other.get('workflow/runs?agent_id=agent_3')).json.data.total, 0)
  })
})

describe('debugging a node', () => {
  it('runs one node with the given outputs of the others and returns it', async () => {
    const outputs = { llm_1: { text: 'given' } }
    const body = { id: 'wf_hello', node_id: 'out_1', inputs: { query: 'Hi' }, outputs }
    const { json } = await api.post('workflow/debug', body)
    assert.equal(json.data.status, 'succeeded')
    assert.deepEqual([json.data.node.path, json.data.node.outputs], ['out_1', outputs])
    assert.equal((await api.post('workflow/debug', { ...body, outputs: { a: 1 } })).json.code, 40001)
    assert.equal((await api.post('workflow/debug', { id: 'wf_hello' })).json.data.errors[0].path, '/node_id')
    const viewer = (await api.post('token/create', { name: 'v', role: 'viewer' })).json.data.token
    assert.equal((await api.as(viewer).post('workflow/debug', body)).json.code, 40301)
  })
})
