import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { TokenRecord } from '../../src/access/access-store.ts'
import { type OpenaiParts, referredMessage } from '../../src/http/routes/openai/exchange.ts'
import { idPart } from '../../src/http/routes/openai/item-ids.ts'
import { storedResponse } from '../../src/http/routes/openai/stored-response.ts'
import { type RunWait, runState, startRun } from '../../src/http/routes/run-waits.ts'
import type { AppError } from '../../src/kernel/app-error.ts'
import { mintId } from '../../src/kernel/ids.ts'
import type { RunRequest } from '../../src/workflow/run/run-inputs.ts'
import { RunSweep } from '../../src/workflow/run/store/run-sweep.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'
import { RunWorld, type TestWorker, workspace } from '../support/run-world.ts'
import { chain, says, work } from '../workflow/run/run-graphs.ts'

const inputs = { query: 'x', files: [], action: '', more: {} }
const wait = { seconds: undefined, stopping: new AbortController().signal }

describe('waiting for a run', () => {
  let opened: TestDatabase
  let world: RunWorld
  let worker: TestWorker
  let request: RunRequest
  let runs = 0
  /** What an Idempotency-Key determines. */
  let keyed: { runId: string; fingerprint: string }
  before(async () => {
    opened = await openTestDatabase()
  })
  beforeEach(async () => {
    world = new RunWorld(opened.database)
    worker = world.worker()
    const workflowId = await world.save(chain(work('a', { hold: 'gate' }), says('o', 'Hello')))
    request = { target: { workflowId }, trigger: 'run', inputs }
    runs += 1
    keyed = { runId: `run_${runs}`, fingerprint: 'f' }
  })
  afterEach(() => world.close())
  after(() => opened.cleanup())

  const start = async () => {
    const started = await startRun(worker.runs, workspace, request, { keyed, admit: async () => {} })
    return {
      runId: started.runId,
      isReplay: started.settled === undefined,
      state: (wait: RunWait) => runState(worker.runs, workspace, started, wait),
    }
  }

  test('starts a keyed run once and returns the same result to repeated requests', async () => {
    const [first, second] = [await start(), await start()]
    assert.deepEqual([first.isReplay, second.isReplay, second.runId], [false, true, first.runId])
    const both = Promise.all([first.state(wait), second.state(wait)])
    world.script.open('gate')
    const [one, other] = await both
    assert.deepEqual(other, one)
    assert.equal(other.messages[0]!.content, 'Hello')
    assert.equal(world.script.countOf('a'), 1)
  })

  test('joins the run when a concurrent identical request started it first', async () => {
    world.script.open('gate')
    const started = await Promise.all([start(), start(), start()])
    for (const { state } of started) assert.equal((await state(wait)).run.status, 'succeeded')
    assert.deepEqual(started.map(({ isReplay }) => isReplay).sort(), [false, true, true])
  })

  test('rejects a request that cannot run', async () => {
    request = { ...request, target: { workflowId: 'wf_none' } }
    await assert.rejects(start(), (error: AppError) => error.reason === 'not_found')
  })

  test('returns the current state when the server stops and another process will continue the run', async () => {
    const { state } = await start()
    worker.serve()
    await worker.stop()
    const { run, messages } = await state({ ...wait, stopping: AbortSignal.abort() })
    assert.deepEqual([run.status, messages], ['queued', []])
  })

  test('waits for another process that continues the run', async () => {
    const { state, runId } = await start()
    worker.serve()
    await worker.stop()
    const ended = state(wait)
    await world.worker().claim(runId)
    world.script.open('gate')
    const { run, messages } = await ended
    assert.deepEqual([run.status, messages.map(({ content }) => content)], ['succeeded', ['Hello']])
  })

  test('returns the current state when the wait expires, also for joined requests', async () => {
    for (const { state } of [await start(), await start()])
      assert.equal((await state({ ...wait, seconds: 0 })).run.status, 'running')
  })

  test('returns the current state when the server stops', async () => {
    const stop = new AbortController()
    const waits = { ...wait, stopping: stop.signal }
    const started = [await start(), await start()]
    const both = started.map(({ state }) => state(waits))
    stop.abort()
    for (const { run } of await Promise.all(both)) assert.equal(run.status, 'running')
    assert.equal((await started[0]!.state(waits)).run.status, 'running')
  })

  test('an earlier response has the answer of its run also after the events were deleted', async () => {
    world.script.open('gate')
    const { run } = await worker.run(chain(says('o', 'Hello')), { runId: mintId('run') })
    await new RunSweep(opened.database).sweepEvents(Number.MAX_SAFE_INTEGER, wait.stopping)
    const token = { workspaceId: workspace, agentIds: [] as string[] } as TokenRecord
    const parts = { runs: worker.runs } as Partial<OpenaiParts> as OpenaiParts
    const retrieval = { origin: 'http://localhost', signal: wait.stopping }
    const response = await storedResponse(parts, token, `resp_${idPart(run.id)}`, retrieval)
    assert.equal(response.status, 'completed')
    const [item] = response.output as { id: string; content: { text: string }[] }[]
    assert.equal(item!.content[0]!.text, 'Hello')
    const reach = { token, workspaceId: workspace, agentId: '' }
    for (const reference of [item!.id, `msg_${idPart(run.id)}_${idPart(mintId('msg'))}`])
      assert.equal((await referredMessage(parts, reach, { reference, pointer: '/input/0' })).text, 'Hello')
  })
})
