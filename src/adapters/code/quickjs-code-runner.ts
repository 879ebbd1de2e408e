import { Worker } from 'node:worker_threads'
import { limits } from '../../contract/limits.ts'
import { parseInPieces } from '../../kernel/parse-in-pieces.ts'
import { inSlices } from '../../kernel/slices.ts'
import { writeInPieces } from '../../kernel/write-in-pieces.ts'
import type { CodeCall, CodeRunner } from '../../tools/code-runner.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import { reportsOf, ThreadPool } from '../workers/thread-pool.ts'
import { type CodeReport, type CodeTask, maxJsonBytes } from './code-messages.ts'

export interface CodeRunnerOptions {
  /** Of one workspace. */
  threads: number
  /** Runs of one workspace that may wait for a thread. */
  queue: number
  timeMilliseconds: number
  /** How long a thread may take to report its timeout before it is terminated. */
  graceMilliseconds: number
  idleMilliseconds: number
}

const defaults: CodeRunnerOptions = {
  threads: 4,
  queue: limits.waitingCode,
  timeMilliseconds: 5000,
  graceMilliseconds: 1000,
  idleMilliseconds: 60_000,
}

/** For the thread to load the interpreter on a busy machine. */
const startMilliseconds = 30_000

const permanent = (message: string): ToolFailure => new ToolFailure(message, { retryable: false })
const temporary = (message: string): ToolFailure => new ToolFailure(message, { retryable: true })

const startThread = (): Worker =>
  new Worker(new URL('./quickjs-worker.ts', import.meta.url), {
    // The interpreter's memory has its own limit; this is for its inputs and results.
    resourceLimits: { maxOldGenerationSizeMb: 128, stackSizeMb: 16 },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: {},
    name: 'code',
  })

/** A crash of the thread is nearly always memory; any other is not a mistake in the code. */
function crashed(error: Error): ToolFailure {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
    return permanent('The code needs more memory than is allowed: return less')
  return Object.assign(temporary('The code could not be run: try again'), { cause: error })
}

/** Runs user code in a small pool of threads with an interpreter. */
export class QuickjsCodeRunner implements CodeRunner {
  readonly #options: CodeRunnerOptions
  readonly #pool: ThreadPool

  constructor(options: Partial<CodeRunnerOptions> = {}) {
    this.#options = { ...defaults, ...options }
    this.#pool = new ThreadPool({
      threads: this.#options.threads,
      maxWaiting: this.#options.queue,
      idleMilliseconds: this.#options.idleMilliseconds,
      start: startThread,
      tooMany: () => temporary('Too many code nodes of this workspace are waiting to run: try again later'),
      closed: () => temporary('The server is stopping: try again later'),
    })
  }

  async run(
    { workspaceId, code, inputs, onStart, onLines }: CodeCall,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { timeMilliseconds } = this.#options
    const makeTask = async (): Promise<CodeTask> => {
      // Only now: waiting runs should not hold their inputs twice.
      const json = await inSlices(writeInPieces(inputs, maxJsonBytes), { signal })
      if (json === undefined || Buffer.byteLength(json) > maxJsonBytes)
        throw permanent(`The inputs are larger than ${maxJsonBytes >> 20} MiB: pass less`)
      return { code, inputs: json, timeMilliseconds }
    }
    const exchange = (worker: Worker, task: CodeTask, stopping: AbortSignal) =>
      this.#exchange(worker, task, stopping, onStart)
    const report = await this.#pool.run(workspaceId, makeTask, exchange, signal)
    if (report.kind === 'failed') throw permanent(report.message)
    onLines?.(report.lines)
    return inSlices(parseInPieces(report.json), { signal })
  }

  /** A thread that does not end a run by itself is terminated. */
  async #exchange(worker: Worker, task: CodeTask, stopping: AbortSignal, onStart: (() => void) | undefined) {
    const { timeMilliseconds, graceMilliseconds } = this.#options
    const failed = new AbortController()
    const tooSlow = (): void =>
      failed.abort(permanent(`The code took longer than ${timeMilliseconds / 1000} s and was stopped`))
    let timer = setTimeout(tooSlow, startMilliseconds)
    try {
      worker.postMessage(task)
      for await (const report of reportsOf<CodeReport>(worker, stopping, failed, crashed)) {
        clearTimeout(timer)
        if (report.kind === 'broken') throw crashed(new Error(report.message))
        if (report.kind !== 'started') return report
        onStart?.()
        timer = setTimeout(tooSlow, timeMilliseconds + graceMilliseconds)
      }
      throw crashed(new Error('The thread sent no result'))
    } finally {
      clearTimeout(timer)
    }
  }

  /** Active and waiting runs fail. */
  close(): Promise<void> {
    return this.#pool.close()
  }
}
