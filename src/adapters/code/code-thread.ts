import { Worker } from 'node:worker_threads'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { CodeReport, CodeTask } from './code-messages.ts'

interface Limits {
  timeMilliseconds: number
  graceMilliseconds: number
  idleMilliseconds: number
}

/** What `main` returned, and the last lines of the console. */
type Returned = Pick<Extract<CodeReport, { kind: 'returned' }>, 'json' | 'lines'>

/** For the thread to load the interpreter on a busy machine. */
const startMilliseconds = 30_000

/** One thread with the interpreter. It is terminated when a run does not end by itself. */
export class CodeThread {
  readonly #limits: Limits
  readonly #worker: Worker
  readonly #onEnd: () => void
  #isEnded = false
  #reason: unknown
  #timer: NodeJS.Timeout | undefined
  #reject: (error: unknown) => void = () => {}
  #resolve: (returned: Returned) => void = () => {}

  constructor(limits: Limits, onEnd: () => void) {
    this.#limits = limits
    this.#onEnd = onEnd
    this.#worker = new Worker(new URL('./quickjs-worker.ts', import.meta.url), {
      // The interpreter's memory has its own limit; this is for its inputs and results.
      resourceLimits: { maxOldGenerationSizeMb: 128, stackSizeMb: 16 },
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: {},
      name: 'code',
    })
    this.#worker.on('message', (report: CodeReport) => this.#handle(report))
    this.#worker.on('error', error => void this.end(crashed(error)))
    this.#worker.on('exit', () => void this.end(crashed(new Error('The thread ended'))))
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  async run(task: CodeTask, signal: AbortSignal): Promise<Returned> {
    signal.throwIfAborted()
    if (this.#isEnded) throw this.#reason ?? crashed(new Error('The thread ended'))
    this.#worker.ref()
    const onAbort = (): void => void this.end(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await new Promise<Returned>((resolve, reject) => {
        this.#resolve = resolve
        this.#reject = reject
        this.#setTimeout(startMilliseconds)
        this.#worker.postMessage(task)
      })
    } finally {
      clearTimeout(this.#timer)
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** An idle thread does not keep the process alive, and ends after a while. */
  rest(): void {
    this.#worker.unref()
    this.#timer = setTimeout(() => void this.end(undefined), this.#limits.idleMilliseconds)
    this.#timer.unref()
  }

  async end(reason: unknown): Promise<void> {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#reason = reason
    clearTimeout(this.#timer)
    this.#reject(reason)
    this.#onEnd()
    await this.#worker.terminate()
  }

  #setTimeout(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.end(tooSlow(this.#limits.timeMilliseconds)), milliseconds)
  }

  #handle(report: CodeReport): void {
    const { timeMilliseconds, graceMilliseconds } = this.#limits
    if (report.kind === 'started') this.#setTimeout(timeMilliseconds + graceMilliseconds)
    else if (report.kind === 'returned') this.#resolve(report)
    else if (report.kind === 'failed') this.#reject(new ToolFailure(report.message, { retryable: false }))
    else void this.end(crashed(new Error(report.message)))
  }
}

const tooSlow = (milliseconds: number): ToolFailure =>
  new ToolFailure(`The code took longer than ${milliseconds / 1000} s and was stopped`, { retryable: false })

/** A crash of the thread is nearly always memory; any other is not a mistake in the code. */
function crashed(error: Error): ToolFailure {
  const isMemory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
  return isMemory
    ? new ToolFailure('The code needs more memory than is allowed: return less', { retryable: false })
    : Object.assign(new ToolFailure('The code could not be run: try again', { retryable: true }), {
        cause: error,
      })
}
