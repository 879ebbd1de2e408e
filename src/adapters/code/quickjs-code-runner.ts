import type { CodeRunner } from '../../tools/code-runner.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import { maxJsonBytes } from './code-messages.ts'
import { CodeThread } from './code-thread.ts'

export interface CodeRunnerOptions {
  threads: number
  /** Runs that may wait for a thread. */
  queue: number
  timeMilliseconds: number
  /** How long a thread may take to report its timeout before it is terminated. */
  graceMilliseconds: number
  /** Idle threads are terminated after this long, so that an idle server stays small. */
  idleMilliseconds: number
}

const defaults: CodeRunnerOptions = {
  threads: 4,
  queue: 256,
  timeMilliseconds: 5000,
  graceMilliseconds: 1000,
  idleMilliseconds: 60_000,
}

interface Waiting {
  take: (thread: CodeThread) => void
  reject: (reason: unknown) => void
}

/** A small pool of threads, started on demand, each with one run at a time; other runs wait in a queue. */
export class QuickjsCodeRunner implements CodeRunner {
  readonly #options: CodeRunnerOptions
  readonly #all = new Set<CodeThread>()
  readonly #idle: CodeThread[] = []
  readonly #waiting = new Set<Waiting>()
  #isClosed = false

  constructor(options: Partial<CodeRunnerOptions> = {}) {
    this.#options = { ...defaults, ...options }
  }

  async run(
    code: string,
    inputs: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    onLines: (lines: readonly string[]) => void = () => {},
  ): Promise<unknown> {
    signal.throwIfAborted()
    const thread = await this.#acquire(signal)
    try {
      // Only now: waiting runs should not hold their inputs twice.
      const json = JSON.stringify(inputs)
      if (Buffer.byteLength(json) > maxJsonBytes) throw tooMuch()
      const { timeMilliseconds } = this.#options
      const returned = await thread.run({ code, inputs: json, timeMilliseconds }, signal)
      onLines(returned.lines)
      return JSON.parse(returned.json)
    } finally {
      this.#release(thread)
    }
  }

  async #acquire(signal: AbortSignal): Promise<CodeThread> {
    if (this.#isClosed) throw closed()
    const idle = this.#idle.pop()
    if (idle) return idle
    if (this.#all.size < this.#options.threads) return this.#start()
    if (this.#waiting.size >= this.#options.queue)
      throw new ToolFailure('Too many code nodes are waiting to run: try again later', { retryable: true })
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(waiting)
        reject(signal.reason)
      }
      const waiting: Waiting = {
        take: thread => {
          signal.removeEventListener('abort', onAbort)
          resolve(thread)
        },
        reject,
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.add(waiting)
    })
  }

  #start(): CodeThread {
    const thread = new CodeThread(this.#options, () => this.#remove(thread))
    this.#all.add(thread)
    return thread
  }

  #release(thread: CodeThread): void {
    if (thread.isEnded) return
    if (this.#handOver(thread)) return
    this.#idle.push(thread)
    thread.rest()
  }

  #remove(thread: CodeThread): void {
    this.#all.delete(thread)
    const at = this.#idle.indexOf(thread)
    if (at >= 0) this.#idle.splice(at, 1)
    if (this.#waiting.size > 0) this.#handOver(this.#start())
  }

  #handOver(thread: CodeThread): boolean {
    const [next] = this.#waiting
    if (!next) return false
    this.#waiting.delete(next)
    next.take(thread)
    return true
  }

  /** Active and waiting runs fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting) reject(closed())
    this.#waiting.clear()
    await Promise.all([...this.#all].map(thread => thread.end(closed())))
  }
}

const tooMuch = (): ToolFailure =>
  new ToolFailure(`The inputs are larger than ${maxJsonBytes >> 20} MiB: pass less`, {
    retryable: false,
  })

const closed = (): ToolFailure =>
  new ToolFailure('The server is stopping: try again later', { retryable: true })
