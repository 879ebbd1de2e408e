import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient } from '../support/api-client.ts'
import { openEvents, type SentEvent } from '../support/event-reader.ts'
import { addTexts, dataOf, makeBase } from '../support/knowledge.ts'
import { type ReplicaWorld, startReplicaWorld } from '../support/replica-world.ts'
import { type Replicas, operatorToken as token } from '../support/replicas.ts'
import { chain, coffeeGraph, echoGraph, output } from '../support/run-graphs.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { makeAgent, makeWorkflow, openTalk, runOf, runWorkflow, say, send, wordsOf } from '../support/talk.ts'
import { namesFound, until } from '../support/watch.ts'

const isPostgres = Boolean(process.env['TEST_DATABASE_URL'])

const names = (events: readonly SentEvent[]): string[] =>
  events.map(({ id, event, data }) => `${id} ${event} ${data.node_id ?? ''}`)

describe('three replicas', { skip: !isPostgres && 'needs PostgreSQL: run with --postgres' }, () => {
  let world: ReplicaWorld
  let replicas: Replicas
  let [a, b, c]: ServerProcess[] = []
  before(async () => {
    world = await startReplicaWorld({ DEMO: 'on' })
    replicas = world.replicas
    ;[a, b, c] = replicas.all
  })
  afterEach(() => world.gates.open())
  after(() => world?.stop())

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

  test('store times of one clock, though theirs are a minute apart', async () => {
    const id = await makeWorkflow(replicas.api, chain(output('say', 'x')))
    const times: string[] = []
    for (const server of [a!, b!, c!, b!, a!, c!])
      times.push((await runOf(server.api, (await runWorkflow(server.api, id, 'now')).run_id)).created_at)
    assert.deepEqual(times, times.toSorted())
  })

  test('a conversation continues on whichever replica gets its turns', async () => {
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

  test('a publication on one takes effect on all at once, and so does an autosave that replaces another', async () => {
    const id = await makeWorkflow(a!.api, chain(output('say', 'one')))
    const answers = async (version?: string) => {
      const runs = replicas.all.map(({ api }) => runWorkflow(api, id, '', { version }))
      return (await Promise.all(runs)).map(({ answer }) => answer)
    }
    await dataOf(a!.api.post('workflow/publish', { id }))
    for (const [index, { api }] of replicas.all.entries()) {
      const workflow = chain(output('say', `draft ${index}`))
      await dataOf(api.post('workflow/update', { id, workflow, autosave: true }))
      assert.deepEqual(await answers(), ['one', 'one', 'one'])
    }
    assert.deepEqual(await answers('draft'), ['draft 2', 'draft 2', 'draft 2'])
    const { items } = await dataOf(c!.api.get(`workflow/versions?id=${id}`))
    assert.deepEqual(
      items.map(({ version }: { version: number }) => version),
      [4, 1],
    )
    await dataOf(b!.api.post('workflow/publish', { id }))
    assert.deepEqual(await answers(), ['draft 2', 'draft 2', 'draft 2'])
    await dataOf(c!.api.post('workflow/unpublish', { id }))
    await dataOf(a!.api.post('workflow/update', { id, workflow: chain(output('say', 'newest')) }))
    assert.deepEqual(await answers(), ['newest', 'newest', 'newest'])
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
    const { gates } = world
    const id = await makeWorkflow(replicas.api, world.requests('/s1', '/s2', '/s3'))
    gates.hold('/s1', '/s2', '/s3')
    const { run_id } = await runWorkflow(a!.api, id, '', { wait: 0 })
    const path = `workflow/runs/${run_id}/events`
    const near = await openEvents(a!.base, path, { token })
    const far = await openEvents(b!.base, path, { token })
    const seen: SentEvent[] = []
    const readUntil = async (nodeId: string): Promise<void> => {
      for (;;) {
        const event = await far.next()
        assert.ok(event, 'the stream goes on')
        seen.push(event)
        if (event.event === 'message' && event.data.node_id === nodeId) return
      }
    }
    // Each message arrives while the run is held at the next request.
    await gates.reached('/s1')
    gates.open('/s1')
    await readUntil('say-s1')
    await gates.reached('/s2')
    gates.open('/s2')
    await readUntil('say-s2')
    await far.leave()
    const last = seen.at(-1)!.id
    const resumed = await openEvents(c!.base, path, { token, headers: { 'last-event-id': String(last) } })
    gates.open('/s3')
    seen.push(...(await resumed.rest()))
    assert.deepEqual(names(seen), names(await near.rest()))
    assert.ok(resumed.isWhole())
  })

  test('stop takes effect on the replica that works on the run', async () => {
    const id = await makeWorkflow(replicas.api, world.requests('/stopped', '/never'))
    world.gates.hold('/stopped')
    const { run_id } = await runWorkflow(a!.api, id, '', { wait: 0 })
    await world.gates.reached('/stopped')
    const run = await dataOf(b!.api.post(`workflow/runs/${run_id}/stop`))
    assert.equal(run.status, 'stopped')
    world.gates.open('/stopped')
    assert.equal(world.posts('/never').length, 0)
  })

  test('a revoked token is refused everywhere, and its streams end', async () => {
    const made = await dataOf(a!.api.post('token/create', { name: 'short', role: 'admin' }))
    const id = await makeWorkflow(replicas.api, world.requests('/revoked'))
    world.gates.hold('/revoked')
    const { run_id } = await runWorkflow(a!.api, id, '', { wait: 0 })
    const statusOf = async (server: ServerProcess): Promise<number> =>
      (await server.api.as(made.token).post('agent/list', {})).status
    // Each has it in its cache.
    for (const server of replicas.all)
      for (let call = 0; call < 3; call++) assert.equal(await statusOf(server), 200)
    const stream = await openEvents(c!.base, `workflow/runs/${run_id}/events`, { token: made.token })
    await dataOf(a!.api.post('token/delete', { id: made.id }))
    assert.equal(await statusOf(a!), 401)
    for (const server of replicas.all)
      await until('the token is refused', async () => (await statusOf(server)) === 401)
    await stream.rest()
    assert.match(stream.text(), /access was revoked/)
  })

  test('a public agent that becomes private is closed everywhere, and its streams end', async () => {
    const { gates } = world
    const workflow_id = await makeWorkflow(replicas.api, world.requests('/public'))
    const agent = await makeAgent(replicas.api, { workflow_id }, { access: 'public' })
    const talks = await Promise.all(replicas.all.map(({ api }) => openTalk(api.as(undefined), agent)))
    gates.hold('/public')
    const stream = await openEvents(c!.base, 'conversation/chat', {
      body: { ...talks[2], data_type: 'text', content: 'hello', stream: 1 },
    })
    await gates.reached('/public')
    await dataOf(a!.api.post('agent/update', { id: agent, access: 'private' }))
    for (const [index, { api }] of replicas.all.entries())
      assert.equal((await send(api.as(undefined), talks[index]!, 'x')).status, 401)
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
    const client = await replicas.connect()
    const { rows } = await client.query(
      `SELECT COUNT(*)::int AS chunks FROM chunks c JOIN batches b ON b.id = c.batch_id
       WHERE b.state = 'live' AND c.content LIKE 'the word% in document %'`,
    )
    await client.end()
    assert.equal(rows[0].chunks, 30)
    for (const server of replicas.all)
      assert.deepEqual((await namesFound(server.api, base, 'word7')).slice(0, 1), ['t7.txt'])
  })

  test('background work is done by one of them', async () => {
    const client = await replicas.connect()
    const { rows } = await client.query("SELECT lease FROM cluster_leases WHERE name = 'background jobs'")
    await client.end()
    assert.match(rows[0].lease, /^replica-[012]\//)
  })

  test('the calls and runs of a workspace are limited for all of them together', async () => {
    const made = await dataOf(a!.api.post('workspace/create', { name: 'limited' }))
    const limits = { calls_per_minute: 60, concurrent_runs: 2 }
    await dataOf(a!.api.post('workspace/update', { id: made.id, limits }))
    const [inA, inB] = [a!.api.as(made.token), b!.api.as(made.token)]
    const id = await makeWorkflow(inA, world.requests('/limited'))
    world.gates.hold('/limited')
    for (let run = 0; run < 2; run++) await runWorkflow(inA, id, '', { wait: 0 })
    const refused = await inB.post('workflow/run', { id, inputs: { query: '' }, wait: 0 })
    assert.equal(refused.status, 429, refused.text)
    assert.match(refused.text, /may have 2 runs in progress/)
    assert.equal((await dataOf(inB.get('usage'))).quotas.concurrent_runs.used, 2)
    world.gates.open('/limited')
    const isRefused = async (api: ApiClient): Promise<boolean> =>
      (await api.post('agent/list', {})).status === 429
    while (!(await isRefused(inA)));
    // Alone it would accept more than 60 calls, and at this pace take seconds for them.
    let accepted = 0
    for (; accepted < 50 && !(await isRefused(inB)); accepted++) await sleep(50)
    assert.ok(accepted < 50, 'B knows what A has accepted')
  })

  test('all of them observe the Retry-After that a model provider sent to one of them', async () => {
    const made = await dataOf(a!.api.post('workspace/create', { name: 'unlucky' }))
    const [inA, inB] = [a!.api.as(made.token), b!.api.as(made.token)]
    const id = await makeWorkflow(inA, echoGraph())
    world.model.play(() => ({ status: 429, headers: { 'retry-after': '600' } }))
    const calls = async (api: ApiClient): Promise<number> => {
      const before = world.model.calls.chat.length
      assert.equal((await runWorkflow(api, id, 'x')).status, 'failed')
      return world.model.calls.chat.length - before
    }
    assert.ok((await calls(inA)) > 0)
    // Nothing shows when the message has arrived.
    await sleep(1000)
    assert.equal(await calls(inB), 0)
  })
})
