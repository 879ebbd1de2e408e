import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Segment } from '../../knowledge/index/segment.ts'
import type { MergeWorker } from '../../knowledge/index/segment-merger.ts'
import { DocumentFailure } from '../../knowledge/ingest/document-failure.ts'
import type { DocumentReader, FileToLoad, ReadPart } from '../../knowledge/ingest/document-reader.ts'
import { type Report, type Task, transferable } from './worker-messages.ts'

export interface PoolOptions {
  size: number
  /** Heap limit of one worker; a document that needs more fails. */
  memoryMegabytes: number
  /** A worker that reports nothing for this long is stopped, and its document fails. */
  silenceMilliseconds: number
  /** Threads that are idle for this long are stopped, so that an idle server stays small. */
  idleMilliseconds: number
}

/**
 * A thread that reaches its heap limit during one large allocation crashes the whole process. So the real limit is
 * checked often, and the limit of the thread is higher.
 */
const checkMilliseconds = 50
const extraMegabytes = 512

/** Threads that read documents and merge segments. Each runs one task at a time; further tasks wait. */
export class WorkerPool implements DocumentReader, MergeWorker {
  readonly #options: PoolOptions
  readonly #all = new Set<Worker>()
  /** With the timer that stops it. */
  readonly #idle = new Map<Worker, NodeJS.Timeout>()
  readonly #waiting: ((worker: Worker) => void)[] = []
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  async read(
    { load, ...file }: FileToLoad,
    take: (part: ReadPart) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const makeTask = async (): Promise<Task> => ({ kind: 'read', file: { ...file, bytes: await load() } })
    await this.#run(makeTask, take, signal)
  }

  async merge(segments: Pick<Segment, 'header' | 'blocks'>[], deletedBatchIds: string[]): Promise<Segment> {
    const last = await this.#run(async () => ({ kind: 'merge', segments, deletedBatchIds }))
    if (last.kind !== 'merged') throw new Error('The worker did not merge')
    return last.segment
  }

  /** Runs a task, which is created only when a thread is free, and returns the last report of the thread. */
  async #run(
    makeTask: () => Promise<Task>,
    take = async (_part: ReadPart): Promise<void> => {},
    signal = new AbortController().signal,
  ): Promise<Report> {
    const worker = await this.#acquire()
    let isBusy = false
    try {
      signal.throwIfAborted()
      const task = await makeTask()
      isBusy = true
      const last = await this.#exchange(worker, task, take, signal)
      isBusy = false
      if (last.kind === 'failed') throw new DocumentFailure(last.code, last.message)
      if (last.kind === 'broken') throw new Error(`A worker failed: ${last.message}`)
      return last
    } finally {
      // A thread may still be busy with its task after a failure; a new one is cheaper than finding out.
      if (isBusy) this.#end(worker)
      else this.#release(worker)
    }
  }

  async #exchange(
    worker: Worker,
    task: Task,
    take: (part: ReadPart) => Promise<void>,
    stopping: AbortSignal,
  ): Promise<Report> {
    const failed = new AbortController()
    const signal = AbortSignal.any([stopping, failed.signal])
    const onError = (error: Error): void => failed.abort(crashed(error))
    const onExit = (): void => failed.abort(crashed(new Error('The worker ended')))
    worker.once('error', onError)
    worker.once('exit', onExit)
    const memoryTimer = setInterval(() => {
      worker.getHeapStatistics().then(
        ({ used_heap_size: used }) => {
          if (used > this.#options.memoryMegabytes * 2 ** 20) failed.abort(tooMuchMemory())
        },
        // The thread has ended.
        () => {},
      )
    }, checkMilliseconds)
    let silenceTimer: NodeJS.Timeout | undefined
    const post = (message: Task): void => {
      const { silenceMilliseconds } = this.#options
      silenceTimer = setTimeout(() => failed.abort(tooSlow(silenceMilliseconds)), silenceMilliseconds)
      worker.postMessage(message, transferred(message))
    }
    try {
      const reports = on(worker, 'message', { signal })
      post(task)
      for await (const [report] of reports as AsyncIterable<[Report]>) {
        clearTimeout(silenceTimer)
        if (report.kind !== 'part') return report
        await take(report.part)
        signal.throwIfAborted()
        post({ kind: 'next' })
      }
      throw new Error('The reports of a worker ended')
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      clearTimeout(silenceTimer)
      clearInterval(memoryTimer)
      worker.off('error', onError)
      worker.off('exit', onExit)
    }
  }

  async #acquire(): Promise<Worker> {
    if (this.#isClosed) throw new Error('The workers are stopped')
    const idle = [...this.#idle.keys()].at(-1)
    if (idle) {
      clearTimeout(this.#idle.get(idle))
      this.#idle.delete(idle)
      idle.ref()
      return idle
    }
    if (this.#all.size < this.#options.size) return this.#start()
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  #start(): Worker {
    const worker = new Worker(new URL('./ingest-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#options.memoryMegabytes + extraMegabytes },
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    // Between tasks there is no other listener, and an unhandled error would end the process.
    worker.on('error', () => {})
    worker.on('exit', () => this.#forget(worker))
    this.#all.add(worker)
    return worker
  }

  #release(worker: Worker): void {
    if (!this.#all.has(worker)) return
    const next = this.#waiting.shift()
    if (next) next(worker)
    else {
      worker.unref()
      this.#idle.set(worker, setTimeout(() => this.#end(worker), this.#options.idleMilliseconds).unref())
    }
  }

  #forget(worker: Worker): void {
    if (!this.#all.delete(worker)) return
    clearTimeout(this.#idle.get(worker))
    this.#idle.delete(worker)
    const next = this.#isClosed ? undefined : this.#waiting.shift()
    next?.(this.#start())
  }

  #end(worker: Worker): void {
    this.#forget(worker)
    void worker.terminate()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#all].map(worker => worker.terminate()))
  }
}

function transferred(task: Task): ArrayBuffer[] {
  if (task.kind === 'read') return [task.file.bytes.buffer]
  return task.kind === 'merge' ? transferable(task.segments) : []
}

const tooSlow = (milliseconds: number): DocumentFailure =>
  new DocumentFailure(
    'too_complex',
    `Processing made no progress for ${Math.round(milliseconds / 1000)} s. Split the document, or save it in a simpler form.`,
  )

const tooMuchMemory = (cause?: Error): DocumentFailure =>
  new DocumentFailure(
    'too_complex',
    'Processing needed more memory than allowed. Split the document, or save it in a simpler form.',
    { cause },
  )

/** A thread that ends on its own nearly always ran out of memory. */
const crashed = (error: Error): Error =>
  (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? tooMuchMemory(error)
    : new Error('A worker thread ended unexpectedly', { cause: error })
