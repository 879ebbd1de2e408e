import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { WorkerProcess } from '../../src/adapters/code/worker-process.ts'

describe('a process that runs code', () => {
  const all: WorkerProcess[] = []
  const start = async (): Promise<WorkerProcess> => {
    const worker = new WorkerProcess(new URL('./crashing-worker.ts', import.meta.url), 64)
    all.push(worker)
    assert.deepEqual(await once(worker, 'message'), ['ready', undefined])
    return worker
  }
  afterEach(() => Promise.all(all.splice(0).map(worker => worker.terminate())))

  it('answers like a thread, without the environment of the server', async () => {
    const worker = await start()
    worker.postMessage({ please: 'answer' })
    const [answer] = await once(worker, 'message')
    assert.deepEqual(answer, { please: 'answer', environment: [] })
  })

  it('ends alone when it crashes, which is an event', async () => {
    const worker = await start()
    const other = await start()
    worker.postMessage({ please: 'crash' })
    await once(worker, 'exit')
    // Nothing is thrown for a message that arrives nowhere.
    worker.postMessage({ please: 'answer' })
    other.postMessage({ please: 'answer' })
    await once(other, 'message')
  })

  it('is terminated in the middle of a loop, and only once', async () => {
    const worker = await start()
    const ended = once(worker, 'exit')
    worker.postMessage({ please: 'hang' })
    await worker.terminate()
    await ended
    await worker.terminate()
  })

  it('uses the compiled modules of the server, as threads do', async () => {
    const source = new URL('../../src/adapters/code/worker-process.ts', import.meta.url)
    const folder = await mkdtemp(join(tmpdir(), 'banyan-test-'))
    const program = `
      import { enableCompileCache, getCompileCacheDir } from 'node:module'
      import { once } from 'node:events'
      import { Worker } from 'node:worker_threads'
      import { workerEnvironment } from ${JSON.stringify(source)}
      const before = workerEnvironment()
      enableCompileCache(${JSON.stringify(folder)})
      const worker = new Worker(
        "import { getCompileCacheDir } from 'node:module'; import { parentPort } from 'node:worker_threads'; parentPort.postMessage(getCompileCacheDir())",
        { eval: true, env: workerEnvironment() },
      )
      const [used] = await once(worker, 'message')
      console.log(JSON.stringify([before, used === getCompileCacheDir(), Object.keys(workerEnvironment())]))`
    try {
      const { NODE_COMPILE_CACHE: _, ...env } = process.env
      const words = ['--input-type=module', '--eval', program]
      const { stdout } = await promisify(execFile)(process.execPath, words, { env })
      assert.deepEqual(JSON.parse(stdout), [{}, true, ['NODE_COMPILE_CACHE']])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('is waited for when it is terminated, also while idle and nothing else is left to do', async () => {
    const source = new URL('../../src/adapters/code/worker-process.ts', import.meta.url)
    const program = `
      import { once } from 'node:events'
      import { WorkerProcess } from ${JSON.stringify(source)}
      const worker = new WorkerProcess(new URL('./crashing-worker.ts', ${JSON.stringify(import.meta.url)}), 64)
      await once(worker, 'message')
      worker.unref()
      await worker.terminate()
      console.log('ended')`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
    assert.equal(stdout, 'ended\n')
  })
})
