import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { FairQueue, type FairQueueOptions } from '../../src/kernel/fair-queue.ts'

const never = new AbortController().signal

/** A queue whose tasks end when the test says so. */
function watched(options: Partial<FairQueueOptions> = {}) {
  const queue = new FairQueue({
    ...{ places: 2, share: 1, maxWaiting: 10, tooMany: () => new Error('too many') },
    ...options,
  })
  const started: string[] = []
  const running = new Map<string, PromiseWithResolvers<void>>()
  const run = (name: string, signal = never): Promise<string> =>
    queue.run(
      name[0]!,
      async () => {
        started.push(name)
        running.set(name, Promise.withResolvers())
        await running.get(name)!.promise
        return name
      },
      signal,
    )
  const end = async (name: string): Promise<void> => {
    running.get(name)!.resolve()
    await nextTurn()
  }
  return { queue, started, running, run, end }
}

describe('a fair queue', () => {
  it('serves tenants in turn, in whatever order their tasks came', async () => {
    const { started, run, end } = watched({ places: 1 })
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(name => run(name))
    for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']) await end(name)
    assert.deepEqual(started, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
  })

  it('keeps a slot for others: a tenant gets no more than its share', async () => {
    const { started, run, end } = watched({ places: 3, share: 2 })
    for (const name of ['a1', 'a2', 'a3', 'a4']) void run(name)
    await nextTurn()
    assert.deepEqual(started, ['a1', 'a2'])
    void run('b1')
    await nextTurn()
    assert.deepEqual(started, ['a1', 'a2', 'b1'])
    await end('b1')
    await end('a2')
    assert.deepEqual(started, ['a1', 'a2', 'b1', 'a3'])
  })

  it('limits how many tasks of a tenant wait, not those of others', async () => {
    const { run, end, started } = watched({ places: 1, maxWaiting: 1 })
    const first = run('a1')
    const second = run('a2')
    await assert.rejects(run('a3'), { message: 'too many' })
    const other = run('b1')
    await end('a1')
    await end('b1')
    await end('a2')
    await Promise.all([first, second, other])
    assert.deepEqual(started, ['a1', 'b1', 'a2'])
  })

  it('removes a task that is aborted while it waits, with the reason', async () => {
    const { run, end, started } = watched({ places: 1 })
    const controller = new AbortController()
    const first = run('a1')
    const gone = run('b1', controller.signal)
    const last = run('c1')
    controller.abort(new Error('called off'))
    await assert.rejects(gone, { message: 'called off' })
    await assert.rejects(run('b2', controller.signal), { message: 'called off' })
    await end('a1')
    await end('c1')
    await Promise.all([first, last])
    assert.deepEqual(started, ['a1', 'c1'])
  })

  it('frees the slot of a task that fails', async () => {
    const { queue } = watched({ places: 1 })
    const fail = () => Promise.reject(new Error('failed'))
    for (let time = 0; time < 3; time++)
      await assert.rejects(queue.run('a', fail, never), { message: 'failed' })
  })

  it('never exceeds its slots or the share of a tenant, and runs everything', async () => {
    const places = 3
    const share = 2
    const queue = new FairQueue({ places, share, maxWaiting: 1000, tooMany: () => new Error('too many') })
    const held = new Map<string, number>()
    let total = 0
    let done = 0
    const task = (key: string) => async () => {
      held.set(key, (held.get(key) ?? 0) + 1)
      total++
      assert.ok(total <= places && held.get(key)! <= share)
      for (let turns = Math.floor(Math.random() * 4); turns > 0; turns--) await nextTurn()
      held.set(key, held.get(key)! - 1)
      total--
      done++
    }
    const keys = Array.from({ length: 500 }, (_, index) => 'abcd'[Math.floor(index / 50) % 4]!)
    const all = keys.map(key => {
      const controller = new AbortController()
      if (Math.random() < 0.2) setImmediate(() => controller.abort(new Error('called off')))
      return queue.run(key, task(key), controller.signal).then(
        () => 1,
        () => 0 as number,
      )
    })
    const succeeded = (await Promise.all(all)).reduce((sum, each) => sum + each, 0)
    assert.equal(done, succeeded)
    assert.equal(total, 0)
    await queue.run('a', task('a'), never)
  })
})
