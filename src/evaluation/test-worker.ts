import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from '../cluster/cluster.ts'
import { LeaseLost } from '../cluster/lease-name.ts'
import { leaseMilliseconds } from '../cluster/leases.ts'
import { type HeldRow, QueueWorker } from '../cluster/queue-worker.ts'
import { limits } from '../contract/limits.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { forEachConcurrently } from '../kernel/for-each-concurrently.ts'
import { derivedId } from '../kernel/ids.ts'
import { isTemporary } from '../kernel/retry-temporary.ts'
import type { WarnLog } from '../kernel/warn-log.ts'
import type { RunInputs, RunRequest } from '../workflow/run/run-inputs.ts'
import type { Runs } from '../workflow/run/run-service.ts'
import type { RunRecord } from '../workflow/run/store/run-records.ts'
import { type CheckTools, failureOfCheck, failureOfJudgement, judgeGraph } from './run-checks.ts'
import type { TestResult, TestRun } from './test-set.ts'
import type { TestSetStore } from './test-set-store.ts'

interface TestWorkerParts extends CheckTools {
  store: TestSetStore
  runs: Pick<Runs, 'start' | 'settled' | 'stop'>
  cluster: Pick<Cluster, 'time' | 'subscribe'>
  clock: Clock
  /** The workflow of the set, or the graph of its agent, which its cases run. */
  subject(
    workspaceId: string,
    setId: string,
    version: number,
  ): Promise<Pick<RunRequest, 'target' | 'agentId'>>
  inputs(workspaceId: string, sent: Readonly<Record<string, unknown>>): Promise<RunInputs>
  admit(workspaceId: string): Promise<void>
  log: WarnLog
}

/** A message between processes: a test run was added or is to stop. */
export const testsChanged = 'tests.changed'
const pollMilliseconds = 5000
const renewMilliseconds = leaseMilliseconds / 3
const retryMilliseconds = 1000
const stopReason = 'the test run is stopped'

/** Works on test runs under a lease. Ids of runs derive from results, so that no case runs twice. */
export class TestWorker {
  readonly #parts: TestWorkerParts
  readonly #queue: QueueWorker<TestRun>

  constructor(parts: TestWorkerParts) {
    this.#parts = parts
    const { store, cluster, log } = parts
    this.#queue = new QueueWorker({
      ...{ cluster, topic: testsChanged, pollMilliseconds, atOnce: limits.testRunsAtOnce },
      ...{ rows: store.rows, renewMilliseconds, log, subject: 'Test runs' },
      renew: async (held, until) => {
        const renewed = await store.renew(held, until)
        if (!renewed) return new LeaseLost()
        return renewed.stopRequested ? stopReason : undefined
      },
      work: (run, held, signal) => this.#work(run, held, signal),
    })
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#queue.run(signal)
  }

  async #work(run: TestRun, held: HeldRow, signal: AbortSignal): Promise<void> {
    const { store, cluster, clock } = this.#parts
    try {
      const open = (await store.results(held.workspaceId, held.id)).filter(({ status }) => status === 'open')
      await forEachConcurrently(limits.testConcurrency, open, async result => {
        if (!signal.aborted) await this.#test(held, run, result, signal)
      })
      if (signal.reason === stopReason) await store.finishRun(held, 'stopped', clock.now())
      else if (!signal.aborted) await store.finishRun(held, 'finished', clock.now())
    } finally {
      // For a test run that has ended, this does nothing.
      await store.release(held, cluster.time.now() + retryMilliseconds)
    }
  }

  async #test(held: HeldRow, { setId }: TestRun, result: TestResult, signal: AbortSignal): Promise<void> {
    const { store, subject, inputs } = this.#parts
    const { workspaceId } = held
    const ended = { message: '', tokens: 0, cost: 0, elapsedMs: 0, answer: '' }
    let status: TestResult['status'] = 'error'
    const spend = (run: RunRecord): void => {
      ended.tokens += run.promptTokens + run.completionTokens
      ended.cost += run.cost
    }
    try {
      const run = await this.#settled(workspaceId, result.runId, signal, async () => ({
        ...(await subject(workspaceId, setId, result.version)),
        inputs: await inputs(workspaceId, result.inputs),
      }))
      spend(run)
      ended.elapsedMs = run.activeMilliseconds
      ended.answer = run.answer.slice(0, limits.testAnswerLength).toWellFormed()
      const failures =
        run.status === 'succeeded' ? await this.#failures(held, result, run, spend, signal) : [endOf(run)]
      status = failures.length > 0 ? 'failed' : 'passed'
      ended.message = failures.join('\n')
    } catch (error) {
      // The test run continues in another process, or is stopped.
      if (signal.aborted) return
      if (!(error instanceof AppError)) throw error
      ended.message = error.message
    }
    await store.finishResult(held, result.ordinal, { status, ...ended })
  }

  async #failures(
    { workspaceId }: HeldRow,
    { checks, runId, inputs }: TestResult,
    run: RunRecord,
    spend: (run: RunRecord) => void,
    signal: AbortSignal,
  ): Promise<string[]> {
    const failures: string[] = []
    for (const [at, check] of checks.entries()) {
      let failure = await failureOfCheck(this.#parts, workspaceId, check, run.answer, signal)
      if (check.type === 'judge') {
        const more = { criterion: check.value, answer: run.answer }
        const query = typeof inputs['query'] === 'string' ? inputs['query'] : ''
        const judged = await this.#settled(
          workspaceId,
          derivedId('run', [runId, 'judge', at]),
          signal,
          async () => ({
            target: { graph: judgeGraph() },
            inputs: { query, files: [], action: '', more },
          }),
        )
        spend(judged)
        failure =
          judged.status === 'succeeded'
            ? failureOfJudgement(judged.answer)
            : `could not be judged: ${endOf(judged)}`
      }
      if (failure !== undefined) failures.push(`The answer ${failure}`)
    }
    return failures
  }

  /** Starts the run unless an earlier holder has, and waits for its end. A run that waits for an answer is stopped. */
  async #settled(
    workspaceId: string,
    runId: string,
    signal: AbortSignal,
    request: () => Promise<Pick<RunRequest, 'target' | 'agentId' | 'inputs'>>,
  ): Promise<RunRecord> {
    const { runs, admit } = this.#parts
    for (;;) {
      try {
        const wanted = await request()
        await admit(workspaceId)
        await runs.start(workspaceId, { ...wanted, trigger: 'run', runId })
        break
      } catch (error) {
        if (error instanceof AppError && error.reason === 'already_exists') break
        const isPassing = error instanceof AppError && (isTemporary(error) || error.reason === 'rate_limited')
        if (!isPassing) throw error
        await sleep(retryMilliseconds, undefined, { signal })
      }
    }
    // Where the server stops, or the lease is lost, the run goes on.
    const stop = (): void => {
      if (signal.reason === stopReason) void runs.stop(workspaceId, runId).catch(() => {})
    }
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    try {
      const run = await runs.settled(workspaceId, runId, signal)
      signal.throwIfAborted()
      return run.status === 'waiting' ? { ...(await runs.stop(workspaceId, runId)), status: 'waiting' } : run
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
}

const endOf = (run: RunRecord): string =>
  run.status === 'waiting'
    ? 'The run asked a question, which a test cannot answer'
    : (run.error?.message ?? `The run was ${run.status}`)
