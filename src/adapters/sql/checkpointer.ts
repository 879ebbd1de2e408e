import { fstatSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

/** A log below this size is moved by the last connection that closes, without a thread. */
const smallLogBytes = 4 << 20
const pauseMilliseconds = 500
/** The length of the log in pages, and how many of them were moved so far. */
export interface CheckpointResult {
  pages: number
  moved: number
}

const notMoved: CheckpointResult = { pages: 0, moved: 0 }

/** A log of more pages (32 MiB) is emptied before the next commit. */
const longLog = 8000

/**
 * Empties the write-ahead log into the database file. SQLite would do that within a COMMIT, where it syncs two files
 * on the main thread: measured, 15 ms in which no request is answered, every second during ingestion. So a
 * thread does it, at most twice a second, and only when there is something to do.
 *
 * The log starts again from its beginning only when a commit finds all of it moved. Beside a stream of commits that may
 * never happen, so they wait for the thread when the log has become long.
 */
export class Checkpointer {
  readonly #path: string
  readonly #log: number
  #worker: Worker | undefined
  readonly #requests: ((log: CheckpointResult) => void)[] = []
  #isBusy = false
  #isDue = false
  #isClosed = false
  /** The length of the log when it was last moved. */
  #pages = 0
  #maxPages = longLog

  constructor(path: string, log: number) {
    this.#path = path
    this.#log = log
  }

  /** Called after each commit. */
  committed(): void {
    this.#isDue = true
    if (!this.#isBusy) void this.#run()
  }

  /** Called before each commit. */
  async makeRoom(): Promise<void> {
    if (this.#pages <= this.#maxPages || this.#isClosed) return
    const { pages, moved } = await this.#move()
    this.#pages = pages === moved ? 0 : pages
    // A reader may still need the log; then it grows by as much again before the next commit waits.
    this.#maxPages = this.#pages + longLog
  }

  async #run(): Promise<void> {
    if (this.#isClosed || (!this.#worker && fstatSync(this.#log).size < smallLogBytes)) return
    this.#isBusy = true
    this.#isDue = false
    const { pages } = await this.#move()
    this.#pages = pages
    const timer = setTimeout(() => {
      this.#isBusy = false
      if (this.#isDue) void this.#run()
    }, pauseMilliseconds)
    timer.unref()
  }

  #move(): Promise<CheckpointResult> {
    try {
      this.#worker ??= this.#start()
    } catch {
      // The system has no thread for it at the moment.
      return Promise.resolve(notMoved)
    }
    const { promise, resolve } = Promise.withResolvers<CheckpointResult>()
    this.#requests.push(resolve)
    this.#worker.postMessage('checkpoint')
    return promise
  }

  #start(): Worker {
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
      workerData: { path: this.#path },
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    worker.unref()
    worker.on('message', (log: CheckpointResult) => this.#requests.shift()?.(log))
    // Without the thread the writing connection checkpoints by itself when the log has grown.
    worker.on('error', () => {})
    worker.on('exit', () => {
      this.#worker = undefined
      for (const resolve of this.#requests.splice(0)) resolve(notMoved)
    })
    return worker
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#worker?.terminate()
  }
}
