import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, it } from 'node:test'
import { ThreadPool } from '../../src/adapters/workers/thread-pool.ts'

const never = new AbortController().signal

class FakeThread extends EventEmitter {
  /** The test resolves it when the thread has started. */
  readonly loaded = Promise.withResolvers<void>()
  isTerminated = false
  postMessage(): void {}
  ref(): void {}
  unref(): void {}
  async terminate(): Promise<void> {
    this.isTerminated = true
  }
}

/** A pool, its threads in the order of their start, and a task that ends when the test says so. */
function world() {
  const threads: FakeThread[] = []
  const start = (): FakeThread => {
    const thread = new FakeThread()
    threads.push(thread)
    return thread
  }
  const pool = new ThreadPool<FakeThread>({
    threads: 4,
    maxWaiting: 100,
    idleMilliseconds: 60_000,
    start,
    ready: thread => thread.loaded.promise,
    tooMany: () => new Error('too many'),
    closed: () => new Error('closed'),
  })
  const tasks: { name: string; thread: number; end: PromiseWithResolvers<string> }[] = []
  const run = (name: string, tenant = 'w', signal = never): Promise<string> =>
    pool.run(
      tenant,
      () => name,
      (thread, task) => {
        const end = Promise.withResolvers<string>()
        tasks.push({ name: task, thread: threads.indexOf(thread), end })
        return end.promise
      },
      signal,
    )
  const end = (name: string): void => tasks.find(task => task.name === name)?.end.resolve(name)
  const running = () => tasks.map(({ name, thread }) => `${name} in ${thread}`)
  return { pool, threads, run, end, running }
}

/** Until every promise that can go on has done so. */
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

describe('threads that take long to start', () => {
  it('start one after the other for a tenant, and tasks take the one that is free first', async () => {
    const { pool, threads, run, end, running } = world()
    const all = ['a', 'b', 'c', 'd'].map(name => run(name))
    await settled()
    assert.equal(threads.length, 1)
    threads[0]!.loaded.resolve()
    await settled()
    assert.equal(threads.length, 2, 'others still wait')
    for (const name of ['a', 'b', 'c']) {
      end(name)
      await settled()
    }
    assert.deepEqual(running(), ['a in 0', 'b in 0', 'c in 0', 'd in 0'])
    threads[1]!.loaded.resolve()
    await settled()
    assert.equal(threads.length, 2, 'no task waits any more')
    end('d')
    assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd'])
    await pool.close()
  })

  it('are started at once for another tenant, which gets its own', async () => {
    const { pool, threads, run, end, running } = world()
    const all = [run('a'), run('b'), run('x', 'other')]
    await settled()
    assert.equal(threads.length, 2)
    threads[1]!.loaded.resolve()
    await settled()
    assert.deepEqual(running(), ['x in 1'])
    threads[0]!.loaded.resolve()
    for (const name of ['x', 'a', 'b']) {
      await settled()
      end(name)
    }
    assert.deepEqual(await Promise.all(all), ['a', 'b', 'x'])
    await pool.close()
  })

  it('fail one task each where they do not start', async () => {
    const { pool, threads, run, end } = world()
    const failed = assert.rejects(run('a'), { message: 'no memory' })
    const second = run('b')
    await settled()
    threads[0]!.loaded.reject(new Error('no memory'))
    await failed
    assert.equal(threads[0]!.isTerminated, true)
    await settled()
    threads[1]!.loaded.resolve()
    await settled()
    end('b')
    assert.equal(await second, 'b')
    await pool.close()
  })

  it('are kept for the next task where the one that waited was aborted', async () => {
    const { pool, threads, run, end, running } = world()
    const controller = new AbortController()
    const aborted = assert.rejects(run('a', 'w', controller.signal), { message: 'enough' })
    await settled()
    controller.abort(new Error('enough'))
    await aborted
    threads[0]!.loaded.resolve()
    await settled()
    const next = run('b')
    await settled()
    assert.deepEqual(running(), ['b in 0'])
    end('b')
    assert.equal(await next, 'b')
    assert.equal(threads.length, 1)
    await pool.close()
  })

  it('end with their tasks when the pool is closed', async () => {
    const { pool, threads, run } = world()
    const refused = ['a', 'b'].map(name => assert.rejects(run(name), { message: 'closed' }))
    await settled()
    await pool.close()
    await Promise.all(refused)
    assert.deepEqual(
      threads.map(thread => thread.isTerminated),
      [true],
    )
  })
})
