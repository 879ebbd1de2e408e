import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Graph } from '../../src/workflow/graph.ts'
import { Gates } from '../support/gates.ts'
import { dataOf } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { rounds } from '../support/rounds.ts'
import { chain, output } from '../support/run-graphs.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { startSinkServer } from '../support/sink-server.ts'
import { makeWorkflow, runWorkflow } from '../support/talk.ts'
import { until } from '../support/watch.ts'
import { node } from '../workflow/graphs.ts'

const token = 'operator-token-of-the-drills'
const names = ['a', 'b', 'c']
const tooMuch = /hold more data than the server has memory for/

/** Holds about 20 million characters of outputs until the request is answered; `isRead`: a later node needs them. */
const heavy = (origin: string, isRead: boolean): Graph =>
  chain(
    ...names.map(id => node(id, 'template', { template: '{{#sys.query#}}'.repeat(40) })),
    node('wait', 'http_request', { url: `${origin}/wait`, timeout_ms: 600_000 }),
    output('say', isRead ? names.map(id => `{{#${id}.text.0#}}`).join('') : 'done'),
  )

/** Counts how often the server does not answer in time. */
async function watchHealth({ base }: ServerProcess, signal: AbortSignal): Promise<number> {
  let missed = 0
  while (!signal.aborted) {
    const answer = await fetch(`${base}/healthz`, { signal: AbortSignal.timeout(5000) }).catch(
      () => undefined,
    )
    if (answer?.status !== 200) missed += 1
    await sleep(100)
  }
  return missed
}

/** Fills a heap twice, which takes a minute of processor time. */
const options = { skip: rounds(1) === 1 && 'a part of the long suite' }

test(
  'runs that need too much memory are refused, and neither the server nor its restart runs out of memory',
  options,
  async () => {
    const database = await migratedDatabase()
    const sink = await startSinkServer()
    const gates = new Gates()
    gates.hold('/wait')
    sink.answer(async ({ path }) => {
      await gates.pass(path)
      return undefined
    })
    const start = (): Promise<ServerProcess> =>
      spawnServer(database, {
        BOOTSTRAP_TOKEN: token,
        LOG_LEVEL: 'warn',
        NODE_OPTIONS: '--max-old-space-size=400',
        EGRESS_ALLOW: new URL(sink.origin).host,
      })
    let server = await start()
    const { token: other } = await dataOf(server.api.post('workspace/create', { name: 'other' }))
    const quick = await makeWorkflow(server.api.as(other), chain(output('say', 'hello {{#sys.query#}}')))
    const assertOthersRun = async (): Promise<void> => {
      const run = await runWorkflow(server.api.as(other), quick, 'there')
      assert.deepEqual([run.status, run.answer], ['succeeded', 'hello there'])
    }
    const query = '大'.repeat(84_000)
    const attack = async (id: string): Promise<string[]> => {
      const outcomes: string[] = []
      for (let index = 0; index < 40; index += 1) {
        const { status, json } = await server.api.post('workflow/run', { id, inputs: { query }, wait: 1 })
        if (status === 429) outcomes.push('refused')
        else {
          assert.equal(status, 200, JSON.stringify(json))
          const { status: is, error } = json.data
          if (is === 'failed') assert.match(error.message, tooMuch)
          outcomes.push(is)
        }
        if (index % 10 === 9) await assertOthersRun()
      }
      return outcomes
    }

    // Outputs that no later node reads are not held.
    const unread = await attack(await makeWorkflow(server.api, heavy(sink.origin, false)))
    assert.deepEqual(new Set(unread), new Set(['running']))
    const read = await attack(await makeWorkflow(server.api, heavy(sink.origin, true)))
    assert.ok(
      read.includes('running') && read.some(outcome => outcome === 'refused' || outcome === 'failed'),
      String(read),
    )
    const accepted = [...unread, ...read].filter(outcome => outcome !== 'refused').length

    await server.kill('SIGKILL')
    server = await start()
    const watched = new AbortController()
    const missed = watchHealth(server, watched.signal)
    await assertOthersRun()
    gates.open()
    await until(
      'the end of all runs',
      async () => {
        const count = async (status: string) =>
          (await dataOf(server.api.get(`workflow/runs?status=${status}&page_size=1`))).total
        return (await count('running')) + (await count('queued')) === 0
      },
      240,
    )
    watched.abort()
    assert.equal(await missed, 0, 'it answered all the time')
    // One that was still filling its outputs when it was accepted may have failed afterwards.
    const succeeded = await dataOf(server.api.get('workflow/runs?status=succeeded&page_size=1'))
    const failed = await dataOf(server.api.get('workflow/runs?status=failed&page_size=100'))
    for (const { error } of failed.items) assert.match(error.message, tooMuch)
    assert.equal(succeeded.total + failed.total, accepted, 'no run that was accepted is lost')
    await assertOthersRun()
    assert.equal(await server.kill('SIGTERM'), 0)
    await sink.stop()
    await database.drop()
  },
)
