import { Worker } from 'node:worker_threads'
import { limits } from '../../contract/limits.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { Segment } from '../../knowledge/index/segment.ts'
import type { MergeWorker, StoredSegment } from '../../knowledge/index/segment-merger.ts'
import { DocumentFailure } from '../../knowledge/ingest/document-failure.ts'
import type {
  DocumentReader,
  FileToLoad,
  FileToRead,
  ReadGroup,
  ReadPart,
} from '../../knowledge/ingest/document-reader.ts'
import type { TextIndexer, TextsToIndex } from '../../knowledge/text-indexer.ts'
import { reportsOf, ThreadPool } from './thread-pool.ts'
import { tooMuchMemory, Watchdog } from './watchdog.ts'
import { type Question, type Replies, type Report, type Task, transferable } from './worker-messages.ts'

interface PoolOptions {
  /** Threads that one workspace may use. There is one more, so that others need not wait for all of them. */
  threads: number
  /** Heap limit of one worker; a document that needs more fails. */
  memoryMegabytes: number
  /** A worker that reports nothing for this long, in its own processor time, is stopped, and its document fails. */
  silenceMilliseconds: number
  idleMilliseconds: number
  /** The command of LibreOffice, which converts files of old Office versions. */
  soffice?: string
  /** The command of ffmpeg, which splits large recordings. */
  ffmpeg?: string
}

const extraMegabytes = 512

/** Files up to this size are loaded before a thread is free, so that no thread waits for the disk. */
const smallFileBytes = 64 << 10

type Handlers = Pick<FileToLoad, 'media' | 'onPages' | 'onProgress'> & { take(part: ReadPart): Promise<void> }

/** Threads that read documents and merge segments. Each runs one task at a time; workspaces take turns. */
export class WorkerPool implements DocumentReader, MergeWorker, TextIndexer {
  readonly #options: PoolOptions
  readonly #threads: ThreadPool
  /** Threads that rendered pages: memory of WebAssembly is never released. */
  readonly #grown = new WeakSet<Worker>()

  constructor(options: PoolOptions) {
    this.#options = options
    const closed = (): Error => new Error('The workers are stopped')
    this.#threads = new ThreadPool({
      threads: options.threads,
      maxWaiting: limits.waitingDocuments,
      idleMilliseconds: options.idleMilliseconds,
      start: () =>
        new Worker(new URL('./ingest-worker.ts', import.meta.url), {
          resourceLimits: { maxOldGenerationSizeMb: options.memoryMegabytes + extraMegabytes },
          workerData: { soffice: options.soffice ?? 'soffice', ffmpeg: options.ffmpeg ?? 'ffmpeg' },
          execArgv: ['--disable-warning=ExperimentalWarning'],
        }),
      tooMany: () =>
        new AppError(
          'rate_limited',
          'Too many files of this workspace are waiting to be read; try again later',
        ),
      isReusable: worker => !this.#grown.has(worker),
      closed,
    })
  }

  async read(
    { workspaceId, size, load, onStart, media, onPages, onProgress, ...file }: FileToLoad,
    take: (part: ReadPart) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const loaded = size <= smallFileBytes ? await load() : undefined
    const makeTask = async (): Promise<Task> => {
      onStart?.()
      return { kind: 'read', file: { ...file, bytes: loaded ?? (await load()) } }
    }
    const last = await this.#run(workspaceId, makeTask, { take, media, onPages, onProgress }, signal)
    if (last.kind !== 'part') throw new Error('The worker did not read')
    // Stored while the thread reads the next document.
    await take(last.part)
  }

  async readGroup(workspaceId: string, files: FileToRead[], signal: AbortSignal): Promise<ReadGroup> {
    const last = await this.#run(workspaceId, async () => ({ kind: 'group', files }), undefined, signal)
    if (last.kind !== 'group') throw new Error('The worker did not read')
    return last.group
  }

  merge(workspaceId: string, segments: StoredSegment[], deletedBatchIds: string[]): Promise<Segment> {
    return this.#segment(workspaceId, { kind: 'merge', segments, deletedBatchIds })
  }

  indexTexts(workspaceId: string, texts: TextsToIndex): Promise<Segment> {
    return this.#segment(workspaceId, { kind: 'index', texts })
  }

  async #segment(workspaceId: string, task: Task): Promise<Segment> {
    const last = await this.#run(workspaceId, async () => task)
    if (last.kind !== 'segment') throw new Error('The worker sent no segment')
    return last.segment
  }

  /** Returns the last report of the thread. */
  async #run(
    workspaceId: string,
    makeTask: () => Promise<Task>,
    handlers: Handlers = { take: async () => {} },
    signal = new AbortController().signal,
  ): Promise<Report> {
    const last = await this.#threads.run(
      workspaceId,
      makeTask,
      (worker, task, stopping) => this.#exchange(worker, task, handlers, stopping),
      signal,
    )
    if (last.kind === 'failed') {
      const { code, message, retryable } = last
      throw new DocumentFailure(code, message, { retryable })
    }
    if (last.kind === 'broken') throw new Error(`A worker failed: ${last.message}`)
    return last
  }

  async #exchange(
    worker: Worker,
    task: Task,
    { take, onProgress, ...handlers }: Handlers,
    stopping: AbortSignal,
  ): Promise<Report> {
    const watchdog = new Watchdog(worker, task, this.#options)
    const { failed } = watchdog
    const ended = new AbortController()
    const reply = mediaReplies(handlers, AbortSignal.any([stopping, failed.signal, ended.signal]))
    /** Questions of the thread that are not answered yet. */
    let waiting = 0
    const watch = (): void => {
      // Models have their own timeouts.
      if (waiting > 0) watchdog.pause()
      else watchdog.expectReport()
    }
    try {
      worker.postMessage(task, transferred(task))
      for await (const report of reportsOf<Report>(worker, stopping, failed, crashed)) {
        watchdog.pause()
        if (report.kind === 'part' && !report.part.isLast) {
          await take(report.part)
          worker.postMessage({ kind: 'next' } satisfies Task)
        } else if (report.kind === 'progress') {
          await onProgress?.(report.done, report.total)
        } else if (report.kind === 'ask') {
          const { number, question } = report
          waiting++
          reply(question).then(
            answer => {
              waiting--
              if (answer === true && !this.#grown.has(worker)) {
                this.#grown.add(worker)
                watchdog.allowRendering()
              }
              worker.postMessage({ kind: 'reply', question: number, reply: answer } satisfies Task)
              watch()
            },
            (error: unknown) => failed.abort(error),
          )
        } else if (report.kind !== 'started' && report.kind !== 'alive') return report
        watch()
      }
      throw new Error('The worker sent no result')
    } finally {
      ended.abort()
      watchdog.stop()
    }
  }

  close(): Promise<void> {
    return this.#threads.close()
  }
}

/** Answers the questions of a thread that reads a document: the text of its pages and recordings. */
function mediaReplies({ media, onPages }: Pick<FileToLoad, 'media' | 'onPages'>, signal: AbortSignal) {
  let done = 0
  let total = 0
  return async (question: Question): Promise<Replies[keyof Replies]> => {
    if (question.kind === 'pages') {
      if (!(await media?.canRecognise())) return false
      total += question.total
      if (question.total > 0) await onPages?.(done, total)
      return true
    }
    if (question.kind === 'blank') {
      await onPages?.(++done, total)
      return undefined
    }
    if (!media) throw new Error('This document is read without its media')
    const text = await media.read(question, signal)
    if (question.kind === 'page') await onPages?.(++done, total)
    return text
  }
}

function transferred(task: Task): ArrayBuffer[] {
  if (task.kind === 'read') return [task.file.bytes.buffer]
  return task.kind === 'merge' ? transferable(task.segments) : []
}

/** A thread that ends on its own nearly always ran out of memory. */
const crashed = (error: Error): Error =>
  (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? tooMuchMemory(error)
    : new Error('A worker thread ended unexpectedly', { cause: error })
