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

interface Thread {
  worker: Worker
  idleTimer: NodeJS.Timeout | undefined
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
  readonly #idle: Thread[] = []
  readonly #all = new Set<Thread>()
  readonly #waiting: ((thread: Thread) => void)[] = []
  #closed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  async read(
    { load, ...file }: FileToLoad,
    take: (part: ReadPart) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const makeTask = async (): Promise<Task> => ({ kind: 'read', file: { ...file, bytes: await load() } })
    await this.#run(makeTask, signal, async report => {
      if (report.kind === 'part') await take(report.part)
    })
  }

  async merge(segments: Pick<Segment, 'header' | 'blocks'>[], deletedBatchIds: string[]): Promise<Segment> {
    const makeTask = async (): Promise<Task> => ({ kind: 'merge', segments, deletedBatchIds })
    const last = await this.#run(makeTask, undefined, async () => {})
    if (last.kind !== 'merged') throw new Error('The worker did not merge')
    return last.segment
  }

  /** Runs a task, which is created only when a thread is free, and returns the last report of the thread. */
  async #run(
    makeTask: () => Promise<Task>,
    signal: AbortSignal | undefined,
    onPart: (report: Report) => Promise<void>,
  ): Promise<Report> {
    const thread = await this.#acquire()
    let isBusy = false
    try {
      if (signal?.aborted) throw signal.reason
      const task = await makeTask()
      isBusy = true
      const last = await this.#exchange(thread, task, signal, onPart)
      this.#release(thread)
      return last
    } catch (error) {
      // The thread may still be busy with this task; a new one is cheaper than finding out.
      if (isBusy && !(error instanceof TaskFailed)) this.#end(thread)
      else this.#release(thread)
      throw error instanceof TaskFailed ? error.failure : error
    }
  }

  #exchange(
    { worker }: Thread,
    task: Task,
    signal: AbortSignal | undefined,
    onPart: (report: Report) => Promise<void>,
  ): Promise<Report> {
    return new Promise<Report>((resolve, reject) => {
      let silenceTimer: NodeJS.Timeout | undefined
      const restartTimer = (): void => {
        clearTimeout(silenceTimer)
        silenceTimer = setTimeout(
          () => settle(() => reject(tooSlow(this.#options.silenceMilliseconds))),
          this.#options.silenceMilliseconds,
        )
      }
      let isSettled = false
      const memoryTimer = setInterval(() => {
        worker.getHeapStatistics().then(
          ({ used_heap_size: used }) => {
            if (!isSettled && used > this.#options.memoryMegabytes * 2 ** 20)
              settle(() => reject(tooMuchMemory()))
          },
          // The thread has ended, which is handled below.
          () => {},
        )
      }, checkMilliseconds)
      const settle = (outcome: () => void): void => {
        isSettled = true
        clearTimeout(silenceTimer)
        clearInterval(memoryTimer)
        worker.off('message', onMessage)
        worker.off('error', onError)
        worker.off('exit', onExit)
        signal?.removeEventListener('abort', onAbort)
        outcome()
      }
      const onAbort = (): void => settle(() => reject(signal!.reason))
      const onError = (error: Error): void => settle(() => reject(crashed(error)))
      const onExit = (): void => settle(() => reject(crashed(new Error('The worker ended'))))
      const onMessage = (report: Report): void => {
        clearTimeout(silenceTimer)
        if (report.kind === 'part')
          onPart(report).then(
            () => {
              // Aborted while the part was stored.
              if (isSettled) return
              restartTimer()
              worker.postMessage({ kind: 'next' } satisfies Task)
            },
            (error: unknown) => settle(() => reject(error)),
          )
        else if (report.kind === 'failed')
          settle(() => reject(new TaskFailed(new DocumentFailure(report.code, report.message))))
        else if (report.kind === 'broken')
          settle(() => reject(new TaskFailed(new Error(`A worker failed: ${report.message}`))))
        else settle(() => resolve(report))
      }
      worker.on('message', onMessage)
      worker.on('error', onError)
      worker.on('exit', onExit)
      signal?.addEventListener('abort', onAbort)
      restartTimer()
      worker.postMessage(task, transferred(task))
    })
  }

  #acquire(): Promise<Thread> {
    if (this.#closed) throw new Error('The workers are stopped')
    const idle = this.#idle.pop()
    if (idle) {
      clearTimeout(idle.idleTimer)
      idle.worker.ref()
      return Promise.resolve(idle)
    }
    if (this.#all.size < this.#options.size) return Promise.resolve(this.#start())
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  #start(): Thread {
    const worker = new Worker(new URL('./ingest-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#options.memoryMegabytes + extraMegabytes },
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    // Between tasks there is no other listener, and an unhandled error would end the process.
    worker.on('error', () => {})
    const thread: Thread = { worker, idleTimer: undefined }
    this.#all.add(thread)
    worker.on('exit', () => this.#forget(thread))
    return thread
  }

  #release(thread: Thread): void {
    if (!this.#all.has(thread)) return
    const next = this.#waiting.shift()
    if (next) next(thread)
    else this.#rest(thread)
  }

  #rest(thread: Thread): void {
    thread.worker.unref()
    thread.idleTimer = setTimeout(() => this.#end(thread), this.#options.idleMilliseconds)
    thread.idleTimer.unref()
    this.#idle.push(thread)
  }

  #forget(thread: Thread): void {
    if (!this.#all.delete(thread)) return
    clearTimeout(thread.idleTimer)
    const at = this.#idle.indexOf(thread)
    if (at >= 0) this.#idle.splice(at, 1)
    const next = this.#closed ? undefined : this.#waiting.shift()
    if (next) next(this.#start())
  }

  #end(thread: Thread): void {
    this.#forget(thread)
    void thread.worker.terminate()
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#all].map(thread => thread.worker.terminate()))
  }
}

function transferred(task: Task): ArrayBuffer[] {
  if (task.kind === 'read') return [task.file.bytes.buffer]
  return task.kind === 'merge' ? transferable(task.segments) : []
}

/** The task failed, and the worker is ready for the next one. */
class TaskFailed extends Error {
  readonly failure: Error

  constructor(failure: Error) {
    super(failure.message)
    this.failure = failure
  }
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
