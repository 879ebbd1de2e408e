import { fstatSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

/** A log below this size is moved by the last connection that closes, without a thread. */
const smallLogBytes = 4 << 20
const pauseMilliseconds = 500

/**
 * Empties the write-ahead log into the database file. SQLite would do that within a COMMIT, where it syncs two files
 * on the main thread: measured, 15 ms in which no request is answered, every second during ingestion. So a
 * thread does it, at most twice a second, and only when there is something to do.
 */
export class Checkpointer {
  readonly #path: string
  readonly #log: number
  #worker: Worker | undefined
  #isBusy = false
  #isDue = false
  #isClosed = false

  constructor(path: string, log: number) {
    this.#path = path
    this.#log = log
  }

  /** Called after each commit. */
  committed(): void {
    this.#isDue = true
    if (!this.#isBusy) this.#run()
  }

  #run(): void {
    if (this.#isClosed || (!this.#worker && fstatSync(this.#log).size < smallLogBytes)) return
    this.#isBusy = true
    this.#isDue = false
    this.#worker ??= this.#start()
    this.#worker.postMessage('checkpoint')
  }

  #start(): Worker {
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
      workerData: { path: this.#path },
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    worker.unref()
    worker.on('message', () => {
      const timer = setTimeout(() => {
        this.#isBusy = false
        if (this.#isDue) this.#run()
      }, pauseMilliseconds)
      timer.unref()
    })
    // Without the thread the writing connection checkpoints by itself when the log has grown.
    worker.on('error', () => {})
    worker.on('exit', () => {
      this.#worker = undefined
      this.#isBusy = false
    })
    return worker
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#worker?.terminate()
  }
}
