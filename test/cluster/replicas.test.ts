import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEvents, type SentEvent } from '../support/event-reader.ts'
import { Gates } from '../support/gates.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { type Replicas, startReplicas, operatorToken as token } from '../support/replicas.ts'
import { chain, coffeeGraph, echoGraph, output } from '../support/run-graphs.ts'
import { lastUserText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { type SinkServer, startSinkServer } from '../support/sink-server.ts'
import { makeAgent, makeWorkflow, openTalk, runOf, runWorkflow, say, wordsOf } from '../support/talk.ts'
import { until } from '../support/watch.ts'
import { node } from '../workflow/graphs.ts'

const isPostgres = Boolean(process.env['TEST_DATABASE_URL'])

let replicas: Replicas
let model: ScriptedModel
let sink: SinkServer
let [a, b, c]: ServerProcess[] = []
const gates = new Gates()

const posts = (path: string) => sink.received.filter(request => request.path === path)

/** Makes a request, says so, and makes the next one. */
const requests = (...paths: string[]) =>
  chain(
    ...paths.flatMap(path => {
      const id = path.slice(1)
      const url = `${sink.origin}${path}`
      return [
        node(id, 'http_request', { method: 'POST', url, body: 'x', timeout_ms: 120_000 }),
        output(`say-${id}`, `after ${id}`),
      ]
    }),
  )

const ended = (server: ServerProcess, runId: string) =>
  until('the end of the run', async () => {
    const run = await runOf(server.api, runId).catch(() => undefined)
    return run && run.status !== 'running' && run.status !== 'queued' ? run : undefined
  })

const names = (events: readonly SentEvent[]): string[] =>
  events.map(({ id, event, data }) => `${id} ${event} ${data.node_id ?? ''}`)

describe('three replicas', { skip: !isPostgres && 'needs PostgreSQL: run with --postgres' }, () => {
  before(async () => {
    model = await startScriptedModel()
    sink = await startSinkServer()
    model.play(async body => {
      await gates.pass(lastUserText(body))
      return undefined
    })
    sink.answer(async ({ path }) => {
      await gates.pass(path)
      return undefined
    })
    replicas = await startReplicas({ ...model.environment, DEMO: 'on', DATABASE_WAIT_SECONDS: '30' })
    ;[a, b, c] = replicas.all
    await until('all members', async () => {
      const { replicas: members } = await dataOf(replicas.api.get('server'))
      return members.length === 3
    })
    // Each of them knows the others.
    await sleep(1000)
  })
  afterEach(() => gates.open())
  after(async () => {
    await replicas?.stop()
    await model?.stop()
    await sink?.stop()
  })

  test('start at once on an empty database, create the demo once, and know each other', async () => {
    const { items } = await dataOf(a!.api.post('agent/list', {}))
    assert.equal(new Set(items.map(({ name }: { name: string }) => name)).size, items.length)
    assert.ok(items.length > 0)
    for (const [index, server] of replicas.all.entries()) {
      const { replicas: members } = await dataOf(server.api.get('server'))
      assert.deepEqual(members.map(({ address }: { address: string }) => address.split(':')[0]).sort(), [
        'replica-0',
        'replica-1',
        'replica-2',
      ])
      const [own] = members.filter(({ is_this }: { is_this: boolean }) => is_this)
      assert.equal(own.address, `replica-${index}:${new URL(server.base).port}`)
      assert.match((await server.api.get('/metrics')).text, /^banyan_replicas 3$/m)
    }
  })

  test('store times of one clock', async () => {
    const id = await makeWorkflow(replicas.api, chain(output('say', 'x')))
    for (const server of replicas.all) {
      const run = await runOf(server.api, (await runWorkflow(server.api, id, 'now')).run_id)
      assert.ok(Math.abs(Date.parse(run.created_at) - Date.now()) < 30_000, run.created_at)
    }
  })

  test('a conversation goes on whichever replica gets its turns', async () => {
    const talk = await openTalk(
      replicas.api,
      await makeAgent(replicas.api, { workflow_id: await makeWorkflow(replicas.api, echoGraph()) }),
    )
    const expected: [number, string][] = []
    for (let turn = 0; turn < 6; turn++) {
      await say(replicas.api, talk, `turn ${turn}`)
      expected.push([0, `turn ${turn}`], [1, `A: echo: turn ${turn}`])
    }
    assert.deepEqual(await wordsOf(replicas.api, talk), expected)
  })

  test('a run that waits on one is resumed on another', async () => {
    const talk = await openTalk(
      replicas.api,
      await makeAgent(replicas.api, { workflow_id: await makeWorkflow(replicas.api, coffeeGraph()) }),
    )
    assert.equal((await say(a!.api, talk, '我要拿铁（Latte）')).waiting, true)
    const { feedback } = await say(b!.api, talk, '大杯')
    assert.equal(feedback.at(-1).content, 'Latte/large')
  })

  test('a stream on another replica has the same events, as they happen, also after a reconnect', async () => {
    const id = await makeWorkflow(replicas.api, requests('/s1', '/s2', '/s3'))
    gates.hold('/s1', '/s2', '/s3')
    const { run_id } = await runWorkflow(a!.api, id, '', { wait: 0 })
    const path = `workflow/runs/${run_id}/events`
    const near = await openEvents(a!.base, path, { token })
    const far = await openEvents(b!.base, path, { token })
    const seen: SentEvent[] = []
    const until = async (nodeId: string): Promise<void> => {
      for (;;) {
        const event = await far.next()
        assert.ok(event, 'the stream goes on')
        seen.push(event)
        if (event.event === 'message' && event.data.node_id === nodeId) return
      }
    }
    await gates.reached('/s1')
    gates.open('/s1')
    await until('say-s1')
    await gates.reached('/s2')
    gates.open('/s2')
    await until('say-s2')
    await far.leave()
    const last = seen.at(-1)!.id
    const resumed = await openEvents(c!.base, path, { token, headers: { 'last-event-id': String(last) } })
    gates.open('/s3')
    seen.push(...(await resumed.rest()))
    assert.deepEqual(names(seen), names(await near.rest()))
    assert.ok(resumed.isWhole())
  })

  test('stop takes effect on the replica that works on the run', async () => {
    const id = await makeWorkflow(replicas.api, requests('/stopped', '/never'))
    gates.hold('/stopped')
    const { run_id } = await runWorkflow(a!.api, id, '', { wait: 0 })
    await gates.reached('/stopped')
    const startedAt = performance.now()
    const run = await dataOf(b!.api.post(`workflow/runs/${run_id}/stop`))
    assert.equal(run.status, 'stopped')
    // Without the message it would be noticed with the next renewal, after up to 5 s.
    assert.ok(performance.now() - startedAt < 4000)
    assert.equal(posts('/never').length, 0)
  })

  test('a revoked token is refused everywhere, and its streams end', async () => {
    const made = await dataOf(a!.api.post('token/create', { name: 'short', role: 'admin' }))
    const id = await makeWorkflow(replicas.api, requests('/revoked'))
    gates.hold('/revoked')
    const { run_id } = await runWorkflow(a!.api, id, '', { wait: 0 })
    // Each has it in its cache.
    for (const server of replicas.all)
      for (let call = 0; call < 3; call++)
        assert.equal((await server.api.as(made.token).post('agent/list', {})).status, 200)
    const stream = await openEvents(c!.base, `workflow/runs/${run_id}/events`, { token: made.token })
    await dataOf(a!.api.post('token/delete', { id: made.id }))
    assert.equal((await a!.api.as(made.token).post('agent/list', {})).status, 401)
    for (const server of replicas.all)
      await until(
        'the token is refused',
        async () => (await server.api.as(made.token).post('agent/list', {})).status === 401,
        3,
      )
    await stream.rest()
    assert.match(stream.text(), /access was revoked/)
  })

  test('documents are ingested once, and found by all', async () => {
    const base = await makeBase(replicas.api)
    const texts = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`t${at}.txt`, `the word${at} in document ${at}`]),
    )
    await addTexts(replicas.api, base, texts)
    const { items } = await dataOf(a!.api.get(`knowledge/${base}/files?page_size=100`))
    assert.deepEqual([...new Set(items.map(({ status }: { status: string }) => status))], ['ready'])
    for (const server of replicas.all) {
      const { items: found } = await dataOf(
        server.api.post(`knowledge/${base}/retrieve`, { query: 'word7', top_k: 3 }),
      )
      assert.match(found[0].content, /document 7/)
    }
  })

  test('a stalled replica loses its runs, and as a zombie writes nothing', async () => {
    const id = await makeWorkflow(replicas.api, requests('/zombie', '/later'))
    gates.hold('/zombie', '/later')
    const { run_id } = await runWorkflow(a!.api, id, '', { wait: 0 })
    const stream = await openEvents(b!.base, `workflow/runs/${run_id}/events`, { token })
    await gates.reached('/zombie')
    process.kill(a!.pid, 'SIGSTOP')
    try {
      await until('another replica repeats the request', async () => posts('/zombie').length === 2, 40)
      gates.open('/zombie')
      await gates.reached('/later')
    } finally {
      process.kill(a!.pid, 'SIGCONT')
    }
    // The zombie has received the response to its request, too, and may not go on with it.
    await sleep(3000)
    assert.equal(posts('/later').length, 1)
    gates.open('/later')
    const run = await ended(b!, run_id)
    assert.equal(run.status, 'succeeded', JSON.stringify(run.error))
    assert.equal(posts('/later').length, 1)
    const keys = new Set(posts('/zombie').map(({ headers }) => headers['idempotency-key']))
    assert.equal(keys.size, 1, 'both requests have the same Idempotency-Key')
    const events = await stream.rest()
    const ids = events.map(({ id: number }) => number)
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((one, other) => one - other),
    )
    assert.equal(events.at(-1)?.event, 'run.finished')
    assert.equal(events.filter(({ event }) => event === 'message').length, 2, 'each message once')
  })

  test('no run fails while the database is down, stalled or half-open, and requests get 503', async () => {
    const id = await makeWorkflow(replicas.api, requests('/d1', '/d2'))
    for (const fault of ['cut', 'stall', 'halfOpen'] as const) {
      gates.hold('/d1', '/d2')
      const started = await Promise.all(
        replicas.all.map(server => runWorkflow(server.api, id, '', { wait: 0 })),
      )
      await until('all requests', async () => posts('/d1').length === 3)
      replicas.database[fault]()
      gates.open('/d1', '/d2')
      if (fault === 'cut') {
        const refused = await until('a refusal', async () => {
          const answer = await a!.api.post('workflow/list', {})
          return answer.status === 503 && answer
        })
        assert.ok(Number(refused.headers.get('retry-after')) > 0)
      }
      await sleep(fault === 'stall' ? 20_000 : 3000)
      replicas.database.restore()
      for (const { run_id } of started) {
        const run = await ended(b!, run_id)
        assert.equal(run.status, 'succeeded', `${fault}: ${JSON.stringify(run.error)}`)
      }
      sink.received.length = 0
    }
  })

  test('a killed replica loses nothing: its runs, streams and documents are taken over', async () => {
    const id = await makeWorkflow(replicas.api, requests('/killed', '/next'))
    const base = await makeBase(replicas.api)
    gates.hold('/killed')
    const { run_id } = await runWorkflow(a!.api, id, '', { wait: 0 })
    await gates.reached('/killed')
    const stream = await openEvents(b!.base, `workflow/runs/${run_id}/events`, { token })
    const long = Array.from({ length: 20_000 }, (_, at) => `sentence number ${at}.`).join('\n')
    const texts = Array.from({ length: 12 }, (_, at) => ({ name: `long${at}.txt`, content: `${at} ${long}` }))
    await dataOf(a!.api.post(`knowledge/${base}`, { texts }))
    await a!.kill('SIGKILL')
    gates.open()
    const startedAt = performance.now()
    const run = await ended(b!, run_id)
    assert.equal(run.status, 'succeeded', JSON.stringify(run.error))
    assert.ok(performance.now() - startedAt < 30_000, 'taken over within 30 s')
    assert.equal((await stream.rest()).at(-1)?.event, 'run.finished')
    assert.equal((await whenIngested(b!.api, base)).status, 'ready')
    const { items } = await dataOf(b!.api.get(`knowledge/${base}/files?page_size=100`))
    assert.deepEqual(
      items.map(({ status }: { status: string }) => status),
      texts.map(() => 'ready'),
    )
    await replicas.restart(0)
    await until('the new member', async () => {
      const { replicas: members } = await dataOf(b!.api.get('server'))
      return members.length === 3
    })
  })
})
