import { Worker } from 'node:worker_threads'
import type { Segment } from '../../knowledge/index/segment.ts'
import type { MergeWorker } from '../../knowledge/index/segment-merger.ts'
import { DocumentFailure } from '../../knowledge/ingest/document-failure.ts'
import type { DocumentReader, FileToLoad, ReadPart } from '../../knowledge/ingest/document-reader.ts'
import { ownBuffers } from './own-buffers.ts'
import type { Report, Task } from './worker-messages.ts'

export interface PoolOptions {
  size: number
  /** Memory of one worker; a document that needs more fails. */
  memoryMegabytes: number
  /** A worker that says nothing for this long is stopped, and its document fails. */
  silenceMilliseconds: number
  /** Threads that have nothing to do for this long are ended: an idle server stays small. */
  idleMilliseconds: number
}

interface Thread {
  worker: Worker
  idleTimer: NodeJS.Timeout | undefined
}

/**
 * A thread that meets the limit of its heap in the middle of one large allocation takes the whole process down with
 * it. So the limit proper is kept by looking often, and the heap may grow by so much more until then.
 */
const lookMilliseconds = 50
const slackMegabytes = 512

/** A few threads that read documents and merge segments. One task at a time per thread; the rest waits. */
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

  async merge(segments: Pick<Segment, 'header' | 'blocks'>[], goneBatchIds: string[]): Promise<Segment> {
    const makeTask = async (): Promise<Task> => ({ kind: 'merge', segments, goneBatchIds })
    const last = await this.#run(makeTask, undefined, async () => {})
    if (last.kind !== 'merged') throw new Error('The worker did not merge')
    return last.segment
  }

  /** Gives the task to a thread, made only when one is free, and answers with the thread's last word. */
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
      const last = await this.#converse(thread, task, signal, onPart)
      this.#release(thread)
      return last
    } catch (error) {
      // Wherever it stands now, it is in the middle of something; a fresh one costs less than finding out.
      if (isBusy && !(error instanceof Refused)) this.#end(thread)
      else this.#release(thread)
      throw error instanceof Refused ? error.failure : error
    }
  }

  #converse(
    { worker }: Thread,
    task: Task,
    signal: AbortSignal | undefined,
    onPart: (report: Report) => Promise<void>,
  ): Promise<Report> {
    return new Promise<Report>((resolve, reject) => {
      let silence: NodeJS.Timeout | undefined
      const listen = (): void => {
        clearTimeout(silence)
        silence = setTimeout(
          () => settle(() => reject(tooSlow(this.#options.silenceMilliseconds))),
          this.#options.silenceMilliseconds,
        )
      }
      let isSettled = false
      const memory = setInterval(() => {
        worker.getHeapStatistics().then(
          ({ used_heap_size: used }) => {
            if (!isSettled && used > this.#options.memoryMegabytes * 2 ** 20)
              settle(() => reject(tooMuchMemory()))
          },
          // It has ended, which is told elsewhere.
          () => {},
        )
      }, lookMilliseconds)
      const settle = (outcome: () => void): void => {
        isSettled = true
        clearTimeout(silence)
        clearInterval(memory)
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
        clearTimeout(silence)
        if (report.kind === 'part')
          onPart(report).then(
            () => {
              // Called off while the part was stored.
              if (isSettled) return
              listen()
              worker.postMessage({ kind: 'next' } satisfies Task)
            },
            (error: unknown) => settle(() => reject(error)),
          )
        else if (report.kind === 'failed')
          settle(() => reject(new Refused(new DocumentFailure(report.code, report.message))))
        else if (report.kind === 'broken')
          settle(() => reject(new Refused(new Error(`A worker failed: ${report.message}`))))
        else settle(() => resolve(report))
      }
      worker.on('message', onMessage)
      worker.on('error', onError)
      worker.on('exit', onExit)
      signal?.addEventListener('abort', onAbort)
      listen()
      worker.postMessage(task, handedOver(task))
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
      resourceLimits: { maxOldGenerationSizeMb: this.#options.memoryMegabytes + slackMegabytes },
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    // Between tasks nobody listens, and an error that nobody hears ends the process.
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

function handedOver(task: Task): ArrayBuffer[] {
  if (task.kind === 'read') return [task.file.bytes.buffer]
  return task.kind === 'merge' ? ownBuffers(task.segments) : []
}

/** The worker said no and is ready for the next task. */
class Refused extends Error {
  readonly failure: Error

  constructor(failure: Error) {
    super(failure.message)
    this.failure = failure
  }
}

const tooSlow = (milliseconds: number): DocumentFailure =>
  new DocumentFailure(
    'too_complex',
    `Reading took longer than ${Math.round(milliseconds / 1000)} s without getting further. Split the document, or save it in a simpler form.`,
  )

const tooMuchMemory = (cause?: Error): DocumentFailure =>
  new DocumentFailure(
    'too_complex',
    'Reading took more memory than is allowed. Split the document, or save it in a simpler form.',
    { cause },
  )

/** What ends a whole thread is nearly always memory. */
const crashed = (error: Error): Error =>
  (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? tooMuchMemory(error)
    : new Error('A worker thread ended while it was at work', { cause: error })
