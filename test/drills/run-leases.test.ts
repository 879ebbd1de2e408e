import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { Gates } from '../support/gates.ts'
import { dataOf } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { chain, echoGraph, output } from '../support/run-graphs.ts'
import { lastUserText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { type SinkServer, startSinkServer } from '../support/sink-server.ts'
import { makeWorkflow, runOf, runWorkflow, timesAsked } from '../support/talk.ts'
import { until } from '../support/watch.ts'
import { node } from '../workflow/graphs.ts'

const token = 'operator-token-of-the-drills'
/** A lease of a run ends after 15 seconds. */
const longerThanALease = 18_000

/** Sets the clock of a server forward by an hour. */
const clockStep = new URL('../support/step-clock.ts', import.meta.url).href

let database: FreshDatabase
let model: ScriptedModel
let sink: SinkServer
let server: ServerProcess
const gates = new Gates()

const start = (more: Record<string, string> = {}): Promise<ServerProcess> =>
  spawnServer(database, { ...model.environment, BOOTSTRAP_TOKEN: token, LOG_LEVEL: 'warn', ...more })

const posts = (path: string) => sink.received.filter(request => request.path === path)

const postTo = (path: string) =>
  chain(
    node('post', 'http_request', {
      method: 'POST',
      url: `${sink.origin}${path}`,
      body: 'x',
      timeout_ms: 60_000,
    }),
    output('say', '{{#post.status#}}'),
  )

describe('a lease of a run', () => {
  before(async () => {
    database = await migratedDatabase()
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
    server = await start({ NODE_OPTIONS: `--import ${clockStep}` })
  })
  afterEach(() => gates.open())
  after(async () => {
    await server.kill('SIGTERM')
    await model.stop()
    await sink.stop()
    await database.drop()
  })

  test('is not lost to the process itself, or to its neighbour, when it stalls', async () => {
    const neighbour = await start()
    const id = await makeWorkflow(server.api, postTo('/stalled'))
    gates.hold('/stalled')
    const answer = runWorkflow(server.api, id, '')
    await gates.reached('/stalled')
    process.kill(server.pid, 'SIGSTOP')
    await sleep(longerThanALease)
    process.kill(server.pid, 'SIGCONT')
    // Both have looked for runs that are due.
    await sleep(5000)
    gates.open()
    const { status, run_id, elapsed_ms } = await answer
    assert.equal(status, 'succeeded')
    assert.ok(elapsed_ms >= longerThanALease)
    assert.equal(posts('/stalled').length, 1)
    assert.equal((await runOf(server.api, run_id)).status, 'succeeded')
    assert.equal(await neighbour.kill('SIGTERM'), 0)
  })

  test('does not end early when the clock is set forward', async () => {
    const id = await makeWorkflow(server.api, postTo('/stepped'))
    gates.hold('/stepped')
    const answer = runWorkflow(server.api, id, '')
    await gates.reached('/stepped')
    process.kill(server.pid, 'SIGUSR2')
    // It has looked for runs that are due, and renewed its leases.
    await sleep(7000)
    gates.open()
    const { status, run_id, elapsed_ms } = await answer
    assert.equal(status, 'succeeded')
    assert.equal(posts('/stepped').length, 1)
    assert.ok(elapsed_ms < 600_000, `${elapsed_ms} ms`)
    const { nodes } = await runOf(server.api, run_id)
    for (const each of nodes) assert.ok(each.elapsed_ms < 600_000, `${each.node_id}: ${each.elapsed_ms} ms`)
  })

  /** Lets the database refuse all writes of the server, and returns how to end that. */
  async function refuseWrites(): Promise<() => Promise<void>> {
    if (database.url === undefined) {
      const { DatabaseSync } = await import('node:sqlite')
      const writer = new DatabaseSync(`${database.folder}/banyan.db`, { timeout: 10_000 })
      writer.exec('BEGIN IMMEDIATE')
      return async () => {
        writer.exec('ROLLBACK')
        writer.close()
      }
    }
    const name = new URL(database.url).pathname.slice(1)
    const admin = new pg.Client({ connectionString: process.env['TEST_DATABASE_URL'] })
    await admin.connect()
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
    return async () => {
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
      await admin.end()
    }
  }

  test('survives a database that refuses writes for longer than it lasts, twice', async () => {
    const id = await makeWorkflow(server.api, echoGraph())
    for (const query of ['first outage', 'second outage']) {
      gates.hold(query)
      const { run_id } = await runWorkflow(server.api, id, query, { wait: 0 })
      await gates.reached(query)
      const recover = await refuseWrites()
      gates.open()
      // The model has answered, and its answer cannot be stored.
      await sleep(longerThanALease)
      await recover()
      const run = await until('the end of the run', async () => {
        const found = await runOf(server.api, run_id)
        return found.status === 'running' || found.status === 'queued' ? undefined : found
      })
      assert.deepEqual(
        [run.status, run.answer],
        ['succeeded', `A: echo: ${query}`],
        JSON.stringify(run.error),
      )
      assert.equal(timesAsked(model, query), 1, 'the model was paid once')
    }
    assert.match(server.output(), /journal of a run could not be written/)
  })

  test('is taken over after kill -9 with the graph of the run, though its workflow was replaced', async () => {
    const inner = await makeWorkflow(server.api, echoGraph())
    const outer = await makeWorkflow(server.api, chain(node('inner', 'workflow', { workflow_id: inner })))
    const own = await makeWorkflow(server.api, echoGraph())
    gates.hold('own', 'nested')
    const runs = [
      await runWorkflow(server.api, own, 'own', { wait: 0 }),
      await runWorkflow(server.api, outer, 'nested', { wait: 0 }),
    ]
    await gates.reached('own', 'nested')
    for (const id of [own, inner]) {
      assert.equal((await server.api.post('workflow/delete', { id })).status, 200)
      await server.api.post('workflow/update', { id, workflow: chain(output('say', 'another graph')) })
    }
    await server.kill('SIGKILL')
    gates.open()
    server = await start()
    for (const [at, { run_id }] of runs.entries()) {
      const run = await until('the end of the run', async () => {
        const found = await runOf(server.api, run_id)
        return found.status === 'running' || found.status === 'queued' ? undefined : found
      })
      assert.equal(run.answer, `A: echo: ${['own', 'nested'][at]}`, JSON.stringify(run.error))
    }
    assert.match((await server.api.get('/metrics')).text, /^banyan_runs_taken_over_total 2$/m)
  })

  test('is revoked with its workspace: nothing happens after the deletion is acknowledged', async () => {
    const neighbour = await start()
    const { id: workspaceId, token: admin } = await dataOf(
      server.api.post('workspace/create', { name: 'deleted' }),
    )
    const graph = chain(
      node('post', 'http_request', { method: 'POST', url: `${sink.origin}/before`, body: 'x' }),
      node('again', 'http_request', { method: 'POST', url: `${sink.origin}/after`, body: 'x' }),
    )
    const id = await makeWorkflow(server.api.as(admin), graph)
    gates.hold('/before')
    for (const each of [server, neighbour]) await runWorkflow(each.api.as(admin), id, '', { wait: 0 })
    await until('both requests', async () => posts('/before').length === 2)
    assert.equal((await server.api.post('workspace/delete', { id: workspaceId })).status, 200)
    gates.open()
    await sleep(3000)
    assert.equal(posts('/after').length, 0)
    assert.equal(await neighbour.kill('SIGTERM'), 0)
  })
})
