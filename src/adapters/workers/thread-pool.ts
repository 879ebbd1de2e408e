import { on } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { FairQueue } from '../../kernel/fair-queue.ts'

interface ThreadPoolOptions {
  /** Threads that one tenant may use. There is one more, so that other tenants need not wait for all of them. */
  threads: number
  /** Tasks of one tenant that may wait for a thread; further ones fail. */
  maxWaiting: number
  /** Threads that are idle for this long are stopped, so that an idle server stays small. */
  idleMilliseconds: number
  start(): Worker
  tooMany(): Error
  /** Fails active and waiting tasks when the pool is closed. */
  closed(): Error
}

/** Threads that are started on demand. Each runs one task at a time; further tasks wait, and tenants take turns. */
export class ThreadPool {
  readonly #options: ThreadPoolOptions
  readonly #queue: FairQueue
  readonly #all = new Set<Worker>()
  /** With the timer that stops it. */
  readonly #idle = new Map<Worker, NodeJS.Timeout>()
  readonly #closing = new AbortController()

  constructor(options: ThreadPoolOptions) {
    this.#options = options
    const { threads: share, maxWaiting, tooMany } = options
    this.#queue = new FairQueue({ places: share + 1, share, maxWaiting, tooMany })
  }

  /** Runs a task, which is created only when a thread is free. */
  async run<Task, Result>(
    tenant: string,
    makeTask: () => Task | Promise<Task>,
    exchange: (worker: Worker, task: Task, signal: AbortSignal) => Promise<Result>,
    caller: AbortSignal,
  ): Promise<Result> {
    const signal = AbortSignal.any([this.#closing.signal, caller])
    const work = async (): Promise<Result> => {
      const task = await makeTask()
      signal.throwIfAborted()
      const worker = this.#acquire()
      let isBusy = true
      try {
        const result = await exchange(worker, task, signal)
        isBusy = false
        return result
      } finally {
        // A thread may still be busy with its task after a failure; a new one is cheaper than finding out.
        if (isBusy) this.#end(worker)
        else this.#release(worker)
      }
    }
    return this.#queue.run(tenant, work, signal)
  }

  #acquire(): Worker {
    const idle = [...this.#idle.keys()].at(-1)
    if (!idle) return this.#start()
    clearTimeout(this.#idle.get(idle))
    this.#idle.delete(idle)
    idle.ref()
    return idle
  }

  #start(): Worker {
    const worker = this.#options.start()
    // Between tasks there is no other listener, and an unhandled error would end the process.
    worker.on('error', () => {})
    worker.on('exit', () => this.#forget(worker))
    this.#all.add(worker)
    return worker
  }

  #release(worker: Worker): void {
    if (!this.#all.has(worker)) return
    worker.unref()
    this.#idle.set(worker, setTimeout(() => this.#end(worker), this.#options.idleMilliseconds).unref())
  }

  #forget(worker: Worker): void {
    this.#all.delete(worker)
    clearTimeout(this.#idle.get(worker))
    this.#idle.delete(worker)
  }

  #end(worker: Worker): void {
    this.#forget(worker)
    void worker.terminate()
  }

  async close(): Promise<void> {
    const all = [...this.#all]
    this.#closing.abort(this.#options.closed())
    await Promise.all(all.map(worker => worker.terminate()))
  }
}

/**
 * What a thread reports. Fails with the reason of `stopping` or `failed`; the thread's own end aborts `failed`, too.
 * A combined signal is expensive, so there is only this one.
 */
export async function* reportsOf<Report>(
  worker: Worker,
  stopping: AbortSignal,
  failed: AbortController,
  crashed: (error: Error) => Error,
): AsyncGenerator<Report, never> {
  const signal = AbortSignal.any([stopping, failed.signal])
  const onError = (error: Error): void => failed.abort(crashed(error))
  const onExit = (): void => failed.abort(crashed(new Error('The thread ended')))
  worker.once('error', onError)
  worker.once('exit', onExit)
  try {
    for await (const [report] of on(worker, 'message', { signal })) yield report as Report
    throw new Error('The reports of a thread ended')
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    worker.off('error', onError)
    worker.off('exit', onExit)
  }
}
