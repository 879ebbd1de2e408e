import { Worker } from 'node:worker_threads'
import { limits } from '../../contract/limits.ts'
import { parseInPieces } from '../../kernel/parse-in-pieces.ts'
import { inSlices } from '../../kernel/slices.ts'
import { writeInPieces } from '../../kernel/write-in-pieces.ts'
import type { CodeCall, CodeLanguage, CodeRunner } from '../../tools/code-runner.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import { type MessageTimeout, nextMessage, type PooledWorker, ThreadPool } from '../workers/thread-pool.ts'
import { tooSlow } from './code-failure.ts'
import { busyFactor, type CodeReport, type CodeTask, maxJsonBytes } from './code-messages.ts'
import { WorkerProcess, workerEnvironment } from './worker-process.ts'

export interface CodeRunnerOptions {
  /** Threads that one workspace may use. */
  threads: number
  /** Runs of one workspace that may wait for a thread. */
  queue: number
  timeMilliseconds: number
  /** How long a worker may take to report its timeout before it is terminated. */
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

/** Time for a worker to load the interpreter on a busy machine. */
const startMilliseconds = 30_000

/** The memory of the interpreters has its own limit; this is for their inputs and results. */
const workerMegabytes = 128

const permanent = (message: string): ToolFailure => new ToolFailure(message, { retryable: false })
const temporary = (message: string): ToolFailure => new ToolFailure(message, { retryable: true })

const startThread = (): Worker =>
  new Worker(new URL('./javascript-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: workerMegabytes, stackSizeMb: 16 },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: workerEnvironment(),
    name: 'code',
  })

/** The interpreter of Python is native code: a crash of it would end the server, and no thread can stop it. */
const startProcess = (): WorkerProcess =>
  new WorkerProcess(new URL('./python-worker.ts', import.meta.url), workerMegabytes)

const notRun = (cause: Error): ToolFailure =>
  Object.assign(temporary('The code could not be run: try again'), { cause })

/** A thread nearly always crashes for lack of memory; any other crash is not a mistake in the code. */
function crashed(error: Error): ToolFailure {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
    return permanent('The code needs more memory than is allowed: return less')
  return notRun(error)
}

async function nextReport(
  worker: PooledWorker,
  stopping: AbortSignal,
  timeout: Omit<MessageTimeout, 'crashed'>,
): Promise<CodeReport> {
  const report = await nextMessage<CodeReport>(worker, stopping, { ...timeout, crashed })
  if (report.kind === 'broken') throw crashed(new Error(report.message))
  return report
}

/** A worker reports when it has loaded its interpreter. */
function hasLoaded(worker: PooledWorker, stopping: AbortSignal): Promise<CodeReport> {
  const failure = (): ToolFailure => notRun(new Error('A worker did not start'))
  return nextReport(worker, stopping, { milliseconds: startMilliseconds, late: failure, ended: failure })
}

/** Runs user code in a few workers: threads with an interpreter for JavaScript, processes with one for Python. */
export class PooledCodeRunner implements CodeRunner {
  readonly #options: CodeRunnerOptions
  /** The pools share their places, in which workspaces take turns. */
  readonly #pools: Readonly<Record<CodeLanguage, ThreadPool<PooledWorker>>>

  constructor(options: Partial<CodeRunnerOptions> = {}) {
    this.#options = { ...defaults, ...options }
    const shared = {
      threads: this.#options.threads,
      maxWaiting: this.#options.queue,
      idleMilliseconds: this.#options.idleMilliseconds,
      ready: hasLoaded,
      tooMany: () => temporary('Too many code nodes of this workspace are waiting to run: try again later'),
      closed: () => temporary('The server is stopping: try again later'),
    }
    const javascript = new ThreadPool<PooledWorker>({ ...shared, start: startThread })
    const python = new ThreadPool<PooledWorker>({ ...shared, start: startProcess, sharesWith: javascript })
    this.#pools = { javascript, python }
  }

  async run(
    { workspaceId, language, code, library, inputs, onStart, onLines }: CodeCall,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { timeMilliseconds } = this.#options
    const makeTask = async (): Promise<CodeTask> => {
      // Written only now, because waiting runs should not hold their inputs twice.
      const json = await inSlices(writeInPieces(inputs, maxJsonBytes), { signal })
      if (json === undefined || Buffer.byteLength(json) > maxJsonBytes)
        throw permanent(`The inputs are larger than ${maxJsonBytes >> 20} MiB: pass less`)
      return { code, library, inputs: json, timeMilliseconds }
    }
    const exchange = (worker: PooledWorker, task: CodeTask, stopping: AbortSignal) =>
      this.#exchange(worker, task, stopping, onStart)
    const report = await this.#pools[language].run(workspaceId, makeTask, exchange, signal)
    if (report.kind === 'failed') throw permanent(report.message)
    if (report.kind !== 'returned') throw crashed(new Error(`A worker reported ${report.kind}`))
    onLines?.(report.lines)
    return inSlices(parseInPieces(report.json), { signal })
  }

  async #exchange(
    worker: PooledWorker,
    task: CodeTask,
    stopping: AbortSignal,
    onStart: (() => void) | undefined,
  ): Promise<CodeReport> {
    const { timeMilliseconds, graceMilliseconds } = this.#options
    onStart?.()
    worker.postMessage(task)
    return nextReport(worker, stopping, {
      milliseconds: busyFactor * timeMilliseconds + graceMilliseconds,
      late: () => permanent(tooSlow(timeMilliseconds)),
      // The cause is nearly always memory or nesting that the limits of the interpreter do not count.
      ended: () => permanent('The interpreter ended while it ran the code: use less memory and less nesting'),
    })
  }

  /** Active and waiting runs fail. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#pools).map(pool => pool.close()))
  }
}
