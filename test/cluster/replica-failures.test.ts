import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { openEvents, type SentEvent } from '../support/event-reader.ts'
import { dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts'
import { endedRun, type ReplicaWorld, startReplicaWorld } from '../support/replica-world.ts'
import { type Replicas, operatorToken as token } from '../support/replicas.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { makeWorkflow, runWorkflow } from '../support/talk.ts'
import { until } from '../support/watch.ts'

const isPostgres = Boolean(process.env['TEST_DATABASE_URL'])

const isIncreasing = (numbers: readonly number[]): boolean =>
  numbers.every((number, at) => at === 0 || number > numbers[at - 1]!)

/** Every failure is checked to occur: without that the test would prove nothing. */
describe('failures of replicas', { skip: !isPostgres && 'needs PostgreSQL: run with --postgres' }, () => {
  let postgres: OwnPostgres | undefined
  let world: ReplicaWorld
  let replicas: Replicas
  let direct: pg.Client
  let [a, b]: ServerProcess[] = []
  before(async () => {
    // Where there is no other server, all but the restart can be tested on the usual one.
    postgres = await startOwnPostgres('replica-failures').catch(() => undefined)
    world = await startReplicaWorld({}, { server: postgres?.url })
    replicas = world.replicas
    ;[a, b] = replicas.all
  })
  afterEach(async () => {
    world.gates.open()
    world.sink.received.length = 0
    await direct?.end().catch(() => {})
  })
  after(async () => {
    await world?.stop()
    await postgres?.stop()
  })

  const leaseOf = async (runId: string): Promise<string> => {
    const { rows } = await direct.query('SELECT lease FROM runs WHERE id = $1', [runId])
    return rows[0].lease
  }

  /** One run on each replica, held at its first request. */
  const startRuns = async (first: string, second: string): Promise<string[]> => {
    const id = await makeWorkflow(replicas.api, world.requests(first, second))
    world.gates.hold(first)
    const started = await Promise.all(
      replicas.all.map(server => runWorkflow(server.api, id, '', { wait: 0 })),
    )
    await until('all requests', async () => world.posts(first).length === started.length)
    return started.map(({ run_id }) => run_id)
  }

  const allSucceed = async (runIds: readonly string[], label: string): Promise<void> => {
    for (const runId of runIds) {
      const run = await endedRun(b!, runId)
      assert.equal(run.status, 'succeeded', `${label}: ${JSON.stringify(run.error)}`)
    }
  }

  const refusal = (server: ServerProcess) =>
    until('a refusal', async () => {
      const answer = await server.api.post('workflow/list', {})
      return answer.status === 503 && answer
    })

  test('a stalled replica loses its runs, and as a zombie writes nothing', async () => {
    const { gates, posts } = world
    direct = await replicas.connect()
    const id = await makeWorkflow(replicas.api, world.requests('/zombie', '/later'))
    gates.hold('/zombie', '/later')
    const { run_id } = await runWorkflow(a!.api, id, '', { wait: 0 })
    const stream = await openEvents(b!.base, `workflow/runs/${run_id}/events`, { token })
    await gates.reached('/zombie')
    const before = await leaseOf(run_id)
    void a!.kill('SIGSTOP')
    try {
      await until('another replica repeats the request', async () => posts('/zombie').length === 2)
      const after = await leaseOf(run_id)
      assert.deepEqual([before.split('/')[0], after.startsWith('replica-0/')], ['replica-0', false])
      gates.open('/zombie')
      await gates.reached('/later')
    } finally {
      void a!.kill('SIGCONT')
    }
    // It has received the response to its request, too, and may not go on with it.
    await until('the zombie notices', async () => a!.output().includes(run_id))
    assert.equal(posts('/later').length, 1)
    gates.open('/later')
    const run = await endedRun(b!, run_id)
    assert.equal(run.status, 'succeeded', JSON.stringify(run.error))
    assert.equal(posts('/later').length, 1)
    const keys = new Set(posts('/zombie').map(({ headers }) => headers['idempotency-key']))
    assert.equal(keys.size, 1, 'both requests have the same Idempotency-Key')
    const events = await stream.rest()
    assert.ok(isIncreasing(events.map(({ id: number }) => number)))
    assert.equal(events.at(-1)?.event, 'run.finished')
    assert.equal(events.filter(({ event }) => event === 'message').length, 2, 'each message once')
  })

  test('no run fails while the database is down, and requests get 503', async () => {
    const runs = await startRuns('/down', '/up')
    replicas.database.set('refuse')
    await assert.rejects(replicas.connect({ throughProxy: true }))
    world.gates.open('/down')
    const refused = await refusal(a!)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    replicas.database.set('pass')
    await allSucceed(runs, 'down')
  })

  test('no run fails while the database stalls for longer than leases last', async () => {
    const runs = await startRuns('/stalled', '/flowing')
    const proxied = await replicas.connect({ throughProxy: true })
    replicas.database.set('stall')
    let isAnswered = false
    const query = proxied.query('SELECT 1').then(() => {
      isAnswered = true
    })
    world.gates.open('/stalled')
    await sleep(20_000)
    assert.equal(isAnswered, false)
    replicas.database.set('pass')
    await query
    await proxied.end()
    await allSucceed(runs, 'stalled')
  })

  test('no run fails when connections are half-open', async () => {
    const runs = await startRuns('/half', '/whole')
    const proxied = await replicas.connect({ throughProxy: true })
    replicas.database.halfOpen()
    let isAnswered = false
    proxied.query('SELECT 1').then(
      () => {
        isAnswered = true
      },
      () => {},
    )
    world.gates.open('/half')
    const fresh = await replicas.connect({ throughProxy: true })
    await fresh.query('SELECT pg_sleep(0.5)')
    await fresh.end()
    assert.equal(isAnswered, false, 'the old connection is dead, a new one works')
    await allSucceed(runs, 'half-open')
  })

  test('no run fails when PostgreSQL restarts twice, and requests work again', async t => {
    if (!postgres) return t.skip('no PostgreSQL that may be restarted')
    const startOf = async (): Promise<string> => {
      direct = await replicas.connect()
      const { rows } = await direct.query('SELECT pg_postmaster_start_time()::text AS start')
      return rows[0].start
    }
    const starts = new Set([await startOf()])
    const runs = await startRuns('/restarted', '/again')
    await postgres.restart()
    world.gates.open('/restarted')
    starts.add(await startOf())
    await postgres.restart()
    starts.add(await startOf())
    assert.equal(starts.size, 3)
    await allSucceed(runs, 'restarted')
    for (const { api } of replicas.all)
      await until('requests work', async () => (await api.post('workflow/list', {})).status === 200)
  })

  test('requests get 503 while the pool is exhausted, and no run fails', async () => {
    const small = await replicas.add({ environment: { DATABASE_POOL_SIZE: '2', DATABASE_WAIT_SECONDS: '1' } })
    const runs = await startRuns('/pool', '/free')
    direct = await replicas.connect()
    await direct.query('BEGIN')
    await direct.query('LOCK TABLE agents IN ACCESS EXCLUSIVE MODE')
    const waiting = [0, 1].map(() => small.api.post('agent/list', {}))
    world.gates.open('/pool')
    const refused = await refusal(small)
    assert.match(refused.text, /All connections to the database are in use/)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal((await b!.api.post('workflow/list', {})).status, 200, 'a replica with a larger pool answers')
    await direct.query('ROLLBACK')
    for (const answer of await Promise.all(waiting))
      assert.ok([200, 503].includes(answer.status), answer.text)
    await allSucceed(runs, 'pool')
    replicas.all.splice(replicas.all.indexOf(small), 1)
    await small.kill('SIGTERM')
  })

  test('a killed replica loses nothing: runs, streams, documents and uploads', async () => {
    const { gates } = world
    direct = await replicas.connect()
    const id = await makeWorkflow(replicas.api, world.requests('/before', '/killed', '/next'))
    const base = await makeBase(replicas.api)
    gates.hold('/killed')
    const { run_id } = await runWorkflow(a!.api, id, '', { wait: 0 })
    const path = `workflow/runs/${run_id}/events`
    const [near, far] = await Promise.all([a!, b!].map(({ base: at }) => openEvents(at, path, { token })))
    const seen: SentEvent[] = []
    while (seen.at(-1)?.event !== 'message') seen.push((await near!.next())!)
    await gates.reached('/killed')

    const long = Array.from({ length: 20_000 }, (_, at) => `sentence number ${at}.`).join('\n')
    const texts = Array.from({ length: 12 }, (_, at) => ({ name: `long${at}.txt`, content: `${at} ${long}` }))
    await dataOf(a!.api.post(`knowledge/${base}`, { texts }))
    const stored = await dataOf(a!.api.upload('stored.txt', 'acknowledged'))
    const piece = new Uint8Array(256 << 10)
    let pieces = 0
    const half = fetch(`${a!.base}/api/v1/files/upload?name=half.bin`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
      // It goes on until the server is gone.
      body: new ReadableStream({
        pull: async controller => {
          await sleep(20)
          pieces++
          controller.enqueue(piece)
        },
      }),
      duplex: 'half',
    })
    half.catch(() => {})
    await until('the upload has begun', async () => pieces > 8)

    await a!.kill('SIGKILL')
    await assert.rejects(half)
    assert.match(await leaseOf(run_id), /^replica-0\//, 'the run was in progress')
    gates.open()
    const resumed = await openEvents(b!.base, path, {
      token,
      headers: { 'last-event-id': String(seen.at(-1)!.id) },
    })
    const run = await endedRun(b!, run_id)
    assert.equal(run.status, 'succeeded', JSON.stringify(run.error))
    const rest = await resumed.rest()
    assert.equal(rest.at(-1)?.event, 'run.finished')
    assert.ok(isIncreasing([...seen, ...rest].map(({ id: number }) => number)))
    assert.equal((await far!.rest()).at(-1)?.event, 'run.finished', 'a stream elsewhere goes on')

    assert.equal((await whenIngested(b!.api, base)).status, 'ready')
    const { items } = await dataOf(b!.api.get(`knowledge/${base}/files?page_size=100`))
    assert.deepEqual(
      items.map(({ status }: { status: string }) => status),
      texts.map(() => 'ready'),
    )
    const { bytes } = await b!.api.bytes(`files/${stored.file_id}`)
    assert.equal(bytes.toString(), 'acknowledged')
    const { rows } = await direct.query("SELECT COUNT(*)::int AS count FROM files WHERE name = 'half.bin'")
    assert.equal(rows[0].count, 0, 'half an upload is none')

    replicas.all.splice(0, 1)
    await replicas.add()
    await until('the new member', async () => {
      const { replicas: members } = await dataOf(b!.api.get('server'))
      return members.length === 3
    })
  })
})
