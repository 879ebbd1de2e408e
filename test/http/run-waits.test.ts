import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startRun } from '../../src/http/routes/run-waits.ts'
import { AppError } from '../../src/kernel/app-error.ts'
import type { RunRequest } from '../../src/workflow/run/runs.ts'
import { FakeRuns } from '../support/fake-runs.ts'

const request: RunRequest = {
  what: { workflowId: 'wf_hello' },
  trigger: 'run',
  inputs: { query: 'x', files: [], action: '', more: {} },
}
const keyed = { runId: 'run_decided', fingerprint: 'f' }
const wait = { seconds: undefined, stopping: new AbortController().signal }

describe('a run with an id derived from the request', () => {
  it('starts once and returns the same result to repeated requests', async () => {
    const runs = new FakeRuns()
    runs.script = () => {}
    const first = await startRun(runs, 'w', request, keyed)
    const second = await startRun(runs, 'w', request, keyed)
    assert.equal(runs.requests.length, 1)
    assert.equal(second.runId, first.runId)
    const both = Promise.all([first.state(wait), second.state(wait)])
    const [run] = runs.runs.values()
    run!.say('Hello')
    run!.settle({ status: 'succeeded', answer: 'Hello' })
    const [one, other] = await both
    assert.deepEqual(other, one)
    assert.equal(other.messages[0]!.content, 'Hello')
  })

  it('joins the run when a concurrent identical request started it first', async () => {
    const runs = new FakeRuns()
    const start = runs.start.bind(runs)
    runs.start = async (workspaceId, wanted) => {
      await start(workspaceId, wanted)
      throw new Error('There is such a run already')
    }
    assert.equal((await (await startRun(runs, 'w', request, keyed)).state(wait)).run.status, 'succeeded')
  })

  it('rejects a request that cannot run', async () => {
    const runs = new FakeRuns()
    runs.workflows.clear()
    await assert.rejects(
      startRun(runs, 'w', request, keyed),
      (error: AppError) => error.reason === 'not_found',
    )
  })
})

describe('waiting for a run', () => {
  it('returns the current state when the result becomes unavailable', async () => {
    const runs = new FakeRuns()
    runs.script = () => {}
    const start = runs.start.bind(runs)
    runs.start = async (workspaceId, wanted) => ({
      ...(await start(workspaceId, wanted)),
      settled: Promise.reject(new AppError('unavailable', 'The server stops')),
    })
    const { run, messages } = await (await startRun(runs, 'w', request, keyed)).state(wait)
    assert.deepEqual([run.status, messages], ['running', []])
  })

  it('returns the current state when the wait expires, also for joined requests', async () => {
    const runs = new FakeRuns()
    runs.script = () => {}
    await startRun(runs, 'w', request, keyed)
    const joined = await startRun(runs, 'w', request, keyed)
    assert.equal((await joined.state({ ...wait, seconds: 0 })).run.status, 'running')
  })

  it('returns the current state when the server stops', async () => {
    const runs = new FakeRuns()
    runs.script = () => {}
    const stop = new AbortController()
    const first = await startRun(runs, 'w', request, keyed)
    const joined = await startRun(runs, 'w', request, keyed)
    const both = [first, joined].map(begun => begun.state({ ...wait, stopping: stop.signal }))
    stop.abort()
    for (const { run } of await Promise.all(both)) assert.equal(run.status, 'running')
    const late = await first.state({ ...wait, stopping: stop.signal })
    assert.equal(late.run.status, 'running')
  })
})
