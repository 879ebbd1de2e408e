import { type EventEmitter, on } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { FairQueue } from '../../kernel/fair-queue.ts'

/** A worker thread, or a process that is used like one. */
export interface PooledWorker extends EventEmitter {
  postMessage(message: object): void
  ref(): void
  unref(): void
  terminate(): Promise<unknown>
}

interface ThreadPoolOptions<Thread extends PooledWorker> {
  /** Threads that one tenant may use. There is one more, so that no tenant can occupy all. 0: one thread for all tenants. */
  threads: number
  /** Tasks of one tenant that may wait for a thread; further ones fail. */
  maxWaiting: number
  /** Threads that are idle for this long are stopped, so that an idle server stays small. */
  idleMilliseconds: number
  start(): Thread
  /**
   * Resolves when a started thread can take a task; by default it can at once. Given where starting is expensive: a tenant
   * then starts one thread at a time, and a task that waits for it takes whichever thread is free first.
   */
  ready?(worker: Thread, signal: AbortSignal): Promise<unknown>
  /** Whether a thread can do another task; by default it can. */
  isReusable?(worker: Thread): boolean
  tooMany(): Error
  /** Fails active and waiting tasks when the pool is closed. */
  closed(): Error
  /** Another pool, with the same number of threads, that this one shares its queue and its places with. */
  sharesWith?: ThreadPool<PooledWorker>
}

interface Waiting<Thread> {
  readonly tenant: string
  resolve(worker: Thread): void
  reject(reason: unknown): void
}

/** Threads that are started on demand. Each runs one task at a time; further tasks wait, and tenants take turns. */
export class ThreadPool<Thread extends PooledWorker = Worker> {
  readonly #options: ThreadPoolOptions<Thread>
  readonly #queue: FairQueue
  readonly #all = new Set<Thread>()
  /** Idle threads, each with the timer that stops it. */
  readonly #idle = new Map<Thread, NodeJS.Timeout>()
  /** Tasks that have a place and wait for a thread, in their order. At most as many as there are places. */
  readonly #waiting = new Set<Waiting<Thread>>()
  /** Tenants for which a thread is starting. */
  readonly #starting = new Set<string>()
  readonly #closing = new AbortController()

  constructor(options: ThreadPoolOptions<Thread>) {
    this.#options = options
    const { threads: share, maxWaiting, tooMany, sharesWith } = options
    this.#queue = sharesWith
      ? sharesWith.#queue
      : new FairQueue({ places: share + 1, share: Math.max(1, share), maxWaiting, tooMany })
  }

  /** Runs a task, which is created only when a place is free. */
  async run<Task, Result>(
    tenant: string,
    makeTask: () => Task | Promise<Task>,
    exchange: (worker: Thread, task: Task, signal: AbortSignal) => Promise<Result>,
    caller: AbortSignal,
  ): Promise<Result> {
    const signal = AbortSignal.any([this.#closing.signal, caller])
    const work = async (): Promise<Result> => {
      const task = await makeTask()
      signal.throwIfAborted()
      const worker = await this.#acquire(tenant, signal)
      let isBusy = false
      try {
        signal.throwIfAborted()
        isBusy = true
        const result = await exchange(worker, task, signal)
        isBusy = this.#options.isReusable?.(worker) === false
        return result
      } finally {
        // A thread may still be busy with its task after a failure; a new one is cheaper than finding out.
        if (isBusy) this.#end(worker)
        else this.#release(worker)
      }
    }
    return this.#queue.run(tenant, work, signal)
  }

  #acquire(tenant: string, signal: AbortSignal): Thread | Promise<Thread> {
    const idle = [...this.#idle.keys()].at(-1)
    if (idle) {
      clearTimeout(this.#idle.get(idle))
      this.#idle.delete(idle)
      idle.ref()
      return idle
    }
    const { ready } = this.#options
    if (!ready) return this.#start()
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(task)
        reject(signal.reason)
      }
      const task = {
        tenant,
        resolve: (worker: Thread): void => {
          signal.removeEventListener('abort', leave)
          resolve(worker)
        },
        reject: (reason: unknown): void => {
          signal.removeEventListener('abort', leave)
          reject(reason)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(task)
      if (!this.#starting.has(tenant)) void this.#startFor(tenant, ready)
    })
  }

  /**
   * Starts threads, one after the other, while a task of the tenant waits. Starting takes hundreds of times as long as
   * a short task: on a busy machine, threads that start together would delay each other while one of them could do all
   * of the work.
   */
  async #startFor(
    tenant: string,
    ready: (worker: Thread, signal: AbortSignal) => Promise<unknown>,
  ): Promise<void> {
    this.#starting.add(tenant)
    for (let next = this.#firstOf(tenant); next; next = this.#firstOf(tenant)) {
      try {
        this.#release(await this.#startAndWait(ready), tenant)
      } catch (error) {
        const failed = this.#firstOf(tenant)
        if (failed) this.#waiting.delete(failed)
        failed?.reject(error)
      }
    }
    this.#starting.delete(tenant)
  }

  async #startAndWait(ready: (worker: Thread, signal: AbortSignal) => Promise<unknown>): Promise<Thread> {
    const worker = this.#start()
    try {
      await ready(worker, this.#closing.signal)
      return worker
    } catch (error) {
      this.#end(worker)
      throw error
    }
  }

  #firstOf(tenant: string): Waiting<Thread> | undefined {
    for (const task of this.#waiting) if (task.tenant === tenant) return task
    return undefined
  }

  #start(): Thread {
    const worker = this.#options.start()
    // Between tasks there is no other listener, and an unhandled error would end the process.
    worker.on('error', () => {})
    worker.on('exit', () => this.#forget(worker))
    this.#all.add(worker)
    return worker
  }

  /** Gives a free thread to the next task. One that was started for a tenant goes to that tenant, if it still waits. */
  #release(worker: Thread, tenant?: string): void {
    if (!this.#all.has(worker)) return
    const next = (tenant !== undefined && this.#firstOf(tenant)) || this.#waiting.values().next().value
    if (next) {
      this.#waiting.delete(next)
      next.resolve(worker)
      return
    }
    worker.unref()
    this.#idle.set(worker, setTimeout(() => this.#end(worker), this.#options.idleMilliseconds).unref())
  }

  #forget(worker: Thread): void {
    this.#all.delete(worker)
    clearTimeout(this.#idle.get(worker))
    this.#idle.delete(worker)
  }

  #end(worker: Thread): void {
    this.#forget(worker)
    void worker.terminate()
  }

  async close(): Promise<void> {
    const all = [...this.#all]
    this.#closing.abort(this.#options.closed())
    await Promise.all(all.map(worker => worker.terminate()))
  }
}

export interface MessageTimeout {
  milliseconds: number
  late(): Error
  /** The failure when the worker ended. */
  ended(): Error
  crashed(error: Error): Error
}

/**
 * The next message of a worker. Fails with the reason of the signal, or when the worker ends or sends nothing in time;
 * the pool then terminates it. Uses plain listeners, because this is most of what a short run of code costs the server.
 */
export async function nextMessage<Message>(
  worker: PooledWorker,
  stopping: AbortSignal,
  { milliseconds, late, ended, crashed }: MessageTimeout,
): Promise<Message> {
  const { promise, resolve, reject } = Promise.withResolvers<Message>()
  const onError = (error: Error): void => reject(crashed(error))
  const onExit = (): void => reject(ended())
  const onStop = (): void => reject(stopping.reason)
  const timer = setTimeout(() => reject(late()), milliseconds)
  worker.on('message', resolve).on('error', onError).on('exit', onExit)
  stopping.addEventListener('abort', onStop)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    worker.off('message', resolve).off('error', onError).off('exit', onExit)
    stopping.removeEventListener('abort', onStop)
  }
}

/** The reports of a thread, until a signal or its end. Combined signals are expensive: there is only one. */
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
