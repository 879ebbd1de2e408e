import { on } from 'node:events'
import type { Worker } from 'node:worker_threads'

interface ThreadPoolOptions {
  size: number
  /** Tasks that may wait for a thread; further ones fail. */
  maxWaiting: number
  /** Threads that are idle for this long are stopped, so that an idle server stays small. */
  idleMilliseconds: number
  start(): Worker
  tooMany(): Error
  /** Fails active and waiting tasks when the pool is closed. */
  closed(): Error
}

/** Threads that are started on demand. Each runs one task at a time; further tasks wait. */
export class ThreadPool {
  readonly #options: ThreadPoolOptions
  readonly #all = new Set<Worker>()
  /** With the timer that stops it. */
  readonly #idle = new Map<Worker, NodeJS.Timeout>()
  readonly #waiting = new Set<(worker: Worker) => void>()
  readonly #closing = new AbortController()

  constructor(options: ThreadPoolOptions) {
    this.#options = options
  }

  /** Runs a task, which is created only when a thread is free. */
  async run<Task, Result>(
    makeTask: () => Task | Promise<Task>,
    exchange: (worker: Worker, task: Task, signal: AbortSignal) => Promise<Result>,
    caller: AbortSignal,
  ): Promise<Result> {
    const signal = AbortSignal.any([this.#closing.signal, caller])
    signal.throwIfAborted()
    const worker = await this.#acquire(signal)
    let isBusy = false
    try {
      const task = await makeTask()
      signal.throwIfAborted()
      isBusy = true
      const result = await exchange(worker, task, signal)
      isBusy = false
      return result
    } finally {
      // A thread may still be busy with its task after a failure; a new one is cheaper than finding out.
      if (isBusy) this.#end(worker)
      else this.#release(worker)
    }
  }

  async #acquire(signal: AbortSignal): Promise<Worker> {
    const idle = [...this.#idle.keys()].at(-1)
    if (idle) {
      clearTimeout(this.#idle.get(idle))
      this.#idle.delete(idle)
      idle.ref()
      return idle
    }
    if (this.#all.size < this.#options.size) return this.#start()
    if (this.#waiting.size >= this.#options.maxWaiting) throw this.#options.tooMany()
    return new Promise((resolve, reject) => {
      // At once, or a thread could be handed to a task that is over.
      const onAbort = (): void => {
        this.#waiting.delete(take)
        reject(signal.reason)
      }
      const take = (worker: Worker): void => {
        signal.removeEventListener('abort', onAbort)
        resolve(worker)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.add(take)
    })
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
    if (!this.#all.has(worker) || this.#handOver(() => worker)) return
    worker.unref()
    this.#idle.set(worker, setTimeout(() => this.#end(worker), this.#options.idleMilliseconds).unref())
  }

  #handOver(worker: () => Worker): boolean {
    const [next] = this.#waiting
    if (!next) return false
    this.#waiting.delete(next)
    next(worker())
    return true
  }

  #forget(worker: Worker): void {
    if (!this.#all.delete(worker)) return
    clearTimeout(this.#idle.get(worker))
    this.#idle.delete(worker)
    if (!this.#closing.signal.aborted) this.#handOver(() => this.#start())
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
