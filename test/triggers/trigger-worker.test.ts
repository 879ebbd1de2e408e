import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { AccessStore } from '../../src/access/access-store.ts'
import { leaseMilliseconds } from '../../src/cluster/leases.ts'
import type { Database } from '../../src/database/database.ts'
import { AppError } from '../../src/kernel/app-error.ts'
import type { Schedule } from '../../src/triggers/trigger.ts'
import { TriggerStore } from '../../src/triggers/trigger-store.ts'
import { TriggerWorker } from '../../src/triggers/trigger-worker.ts'
import type { RunRequest } from '../../src/workflow/run/run-inputs.ts'
import type { LiveRun } from '../../src/workflow/run/run-service.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'
import { until } from '../support/watch.ts'

const second = 1000
const start = Date.parse('2026-11-16T09:00:00Z')
const page = { page: 1, pageSize: 100 }

describe('a worker of schedules', () => {
  let opened: TestDatabase
  let store: TriggerStore
  let now = start
  /** Ids of the runs that exist, in the order of their start. */
  let runs: string[] = []
  let refusal: AppError | undefined
  let running: Promise<void>[] = []
  let stop = new AbortController()

  beforeEach(async () => {
    opened = await openTestDatabase()
    store = new TriggerStore(opened.database)
    await new AccessStore(opened.database).addWorkspace({ id: 'w', name: 'w', createdAt: 1 })
    now = start
    runs = []
    refusal = undefined
    running = []
    stop = new AbortController()
  })
  afterEach(async () => {
    stop.abort()
    await Promise.all(running)
    await opened.cleanup()
  })

  const startRun = async (_: string, { runId }: RunRequest): Promise<LiveRun> => {
    if (refusal) throw refusal
    if (runs.includes(runId!)) throw new AppError('already_exists', 'There is a run already')
    runs.push(runId!)
    return {} as LiveRun
  }
  const work = (source: TriggerStore = store): void => {
    const worker = new TriggerWorker({
      store: source,
      triggers: { runOf: async () => ({}) as RunRequest },
      runs: { start: startRun },
      quotas: { admitRun: async () => {} },
      cluster: {
        time: { now: () => now, refresh: async () => {} } as never,
        // Looks again at once whenever the time has changed.
        subscribe: (_, receive) => {
          const timer = setInterval(() => receive(''), 5)
          stop.signal.addEventListener('abort', () => clearInterval(timer))
          return () => {}
        },
      },
      log: { warn: () => {} },
    })
    running.push(worker.run(stop.signal))
  }
  const add = async (id: string, missed: Schedule['settings']['missed'] = 'run_latest'): Promise<void> => {
    const settings = { cron: '* * * * * *', timezone: 'UTC', missed }
    const times = { nextAt: start, createdAt: start, updatedAt: start }
    const about = { name: id, workflowId: 'wf', enabled: true, inputs: {}, updatedBy: '', failure: undefined }
    assert.ok(await store.add('w', { id, kind: 'schedule', settings, ...about, ...times }, 100))
  }
  const nextOf = async (id: string): Promise<number> => {
    const found = (await store.list('w', undefined, page)).items.find(each => each.id === id)
    return ((found?.nextAt ?? Number.NaN) - start) / second
  }

  test('of several, one starts the run of an occurrence', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `trig_${index}`)
    for (const id of ids) await add(id)
    const others: Database[] = [await opened.openAgain(), await opened.openAgain()]
    work()
    for (const database of others) work(new TriggerStore(database))
    for (let tick = 1; tick <= 3; tick++) {
      await until('all to move on', async () => {
        for (const id of ids) if ((await nextOf(id)) !== tick) return false
        return true
      })
      now += second
    }
    assert.ok(runs.length >= ids.length * 3)
    assert.equal(new Set(runs).size, runs.length)
  })

  test('that crashes after the start of the run leaves the occurrence to another, which starts no second run', async () => {
    await add('trig_a')
    const crashing = new TriggerStore(opened.database)
    crashing.advance = () => Promise.reject(new AppError('unavailable', 'killed'))
    work(crashing)
    await until('the run', async () => runs.length === 1)
    stop.abort()
    await Promise.all(running)
    stop = new AbortController()
    assert.equal(await nextOf('trig_a'), 0)
    work()
    now += leaseMilliseconds / 2
    await new Promise(resolve => setTimeout(resolve, 50))
    assert.equal(await nextOf('trig_a'), 0, 'the claim has not run out')
    now = start + leaseMilliseconds
    await until('it to catch up', async () => (await nextOf('trig_a')) > leaseMilliseconds / second)
    assert.equal(new Set(runs).size, leaseMilliseconds / second + 1, 'no occurrence is left out')
    assert.equal(new Set(runs).size, runs.length)
  })

  test('tries an occurrence again that is refused for now, and moves on from one that is refused for good', async () => {
    await add('trig_a')
    refusal = new AppError('rate_limited', 'too many runs')
    work()
    const failureIs = (reason: string) =>
      until(reason, async () => (await store.find('w', 'trig_a'))?.failure?.reason === reason)
    await failureIs('rate_limited')
    assert.equal(await nextOf('trig_a'), 0)
    refusal = undefined
    now += 2 * second
    await until('it to catch up', async () => (await nextOf('trig_a')) === 3)
    assert.equal(runs.length, 3)
    assert.equal((await store.find('w', 'trig_a'))?.failure, undefined)
    refusal = new AppError('workflow_not_runnable', 'half-typed')
    now += second
    await failureIs('workflow_not_runnable')
    await until('it to move on', async () => (await nextOf('trig_a')) === 4)
  })

  test('fires the latest of many missed occurrences, or none', async () => {
    await add('trig_latest')
    await add('trig_skip', 'skip')
    now = start + 3600 * second
    work()
    for (const id of ['trig_latest', 'trig_skip'])
      await until('it to move on', async () => (await nextOf(id)) === 3601)
    assert.equal(runs.length, 1)
    for (const id of ['trig_latest', 'trig_skip']) {
      const { failure } = (await store.find('w', id))!
      assert.equal(failure?.reason, 'missed')
      assert.match(failure.message, /^Missed at least 10[01] occurrences from /)
    }
  })

  test('ignores a schedule of a deleted workspace', async () => {
    await add('trig_a')
    await new AccessStore(opened.database).removeWorkspace('w', start)
    // A request that was in progress may still change it.
    await store.update('w', 'trig_a', trigger => ({ ...trigger, nextAt: start + second }) as Schedule)
    assert.deepEqual(await store.due(now + second), [])
    assert.equal(await store.nextDue(), undefined, 'otherwise the worker would look again without a pause')
  })
})
