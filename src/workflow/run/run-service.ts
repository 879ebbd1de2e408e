import { setTimeout as sleep } from 'node:timers/promises'
import { workspaceDeleted } from '../../cluster/cluster.ts'
import { hasEnded } from '../../cluster/lease-name.ts'
import type { InputVariable } from '../../contract/input-variable.ts'
import type { Page, PageRequest } from '../../contract/paging.ts'
import { AppError } from '../../kernel/app-error.ts'
import { mintId } from '../../kernel/ids.ts'
import { unlessAborted } from '../../kernel/unless-aborted.ts'
import type { Reply } from '../step.ts'
import { outOfMemory } from './failures.ts'
import type { FoundPlan, VersionChoice, Work } from './plans.ts'
import type { RunReservation } from './run-capacity.ts'
import { PreviousAttempt, type RunDependencies } from './run-context.ts'
import { type RunEvent, readEvents } from './run-event.ts'
import { givenInputs, type RunInputs, type RunRequest, type StoredInputs } from './run-inputs.ts'
import type { RunWatch } from './run-relay.ts'
import type { RunTask } from './run-task.ts'
import type { RunWorker } from './run-worker.ts'
import { showLarge } from './store/output-store.ts'
import {
  isActive,
  type RunFilter,
  type RunRecord,
  type RunSummary,
  type StepRecord,
  storedQuestion,
} from './store/run-records.ts'

export const noRun = (id: string): AppError => new AppError('not_found', `There is no run ${id}`)

/** How long a renewal of leases takes at most. */
const noticeMilliseconds = 1000

export type LiveRun = Pick<RunTask, 'runId' | 'settled' | 'events'>

/** The public part of the service, for the rest of the server and for tests. */
export type Runs = Pick<RunService, keyof RunService>

export class RunService {
  readonly #dependencies: RunDependencies
  readonly #worker: RunWorker

  constructor(dependencies: RunDependencies, worker: RunWorker) {
    this.#dependencies = dependencies
    this.#worker = worker
  }

  /**
   * When it resolves, the run is stored and survives a crash. Fails with `not_found`, `workflow_not_runnable`,
   * `invalid_request` if the inputs do not fit its variables, `already_exists` if the requested id is taken, or
   * `rate_limited` if too many runs are active.
   */
  async start(workspaceId: string, request: RunRequest): Promise<LiveRun> {
    return this.#within(workspaceId, async reservation => {
      const work = await this.#workOf(workspaceId, request.target)
      const inputs = await this.#given(workspaceId, work, request)
      return this.#create(workspaceId, reservation, this.#newRun({ ...request, inputs }, work), work)
    })
  }

  async #workOf(workspaceId: string, target: RunRequest['target']): Promise<Work & Omit<FoundPlan, 'plan'>> {
    const { plans } = this.#dependencies
    if ('graph' in target) return { plan: await plans.planOf(target.graph), version: 0 }
    if ('trial' in target) return plans.findTrial(workspaceId, target.workflowId, target.trial)
    return plans.find(workspaceId, target.workflowId, target.version)
  }

  /** The input variables of the version that a run would start with; fails like `start`. */
  async variables(
    workspaceId: string,
    workflowId: string,
    version?: VersionChoice,
  ): Promise<readonly InputVariable[]> {
    return (await this.#dependencies.plans.find(workspaceId, workflowId, version)).plan.variables
  }

  /** Inputs with the values of the variables of a plan. */
  async #given(
    workspaceId: string,
    { plan }: Work,
    { inputs, files = this.#dependencies.files }: Pick<RunRequest, 'inputs' | 'files'>,
  ): Promise<RunInputs> {
    if (plan.variables.length === 0) return inputs
    const { action } = inputs
    // A variable may be called `action`, like the input that was taken out of the others.
    const sent = { ...(action !== '' && { action }), ...inputs.more }
    return { ...inputs, more: await givenInputs(plan, sent, files, workspaceId) }
  }

  /** Answers a waiting run. Fails with `not_found`, or `version_conflict` when it is not waiting. */
  async resume(workspaceId: string, runId: string, reply: Reply, chatId = ''): Promise<LiveRun> {
    const live = await this.#claimWaiting(workspaceId, runId, { reply: JSON.stringify(reply), chatId })
    if (live) return live
    const { status } = await this.get(workspaceId, runId)
    throw new AppError(
      'version_conflict',
      `The run ${runId} is not waiting for an answer; its status is ${status}`,
    )
  }

  /** Stops a run and keeps its messages so far. A run that has ended stays as it is. */
  async stop(workspaceId: string, runId: string): Promise<RunRecord> {
    const { store, clock, listener } = this.#dependencies
    const live = this.#worker.find(runId)
    if (!live && (await this.get(workspaceId, runId)).status === 'waiting') {
      // A waiting run is claimed only to be stopped, so that its listener is notified; without room for it, its row is
      // updated below. `stops` keeps it from continuing with this empty reply.
      const noAnswer = { text: '', files: [], action: '' }
      const claim = { reply: JSON.stringify(noAnswer), chatId: '', stops: true }
      const claimed = await this.#claimWaiting(workspaceId, runId, claim).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error
        return undefined
      })
      this.#worker.find(runId)?.stop()
      await claimed?.settled.catch(() => {})
    }
    const status = await store.requestStop(workspaceId, runId, clock.now())
    if (status === undefined) throw noRun(runId)
    this.#worker.stop(runId)
    if (!isActive(status)) {
      const ended = await this.get(workspaceId, runId)
      // Where no process worked on it, nothing else notifies its listener. A repeated notification changes nothing.
      if (ended.trigger === 'chat' && status === 'stopped')
        await listener.settled({ ...ended, workspaceId }, { status, error: undefined })
      return ended
    }
    const run = await this.settled(workspaceId, runId, AbortSignal.timeout(20_000))
    // It started to wait at the moment it was stopped.
    return run.status === 'waiting' ? this.stop(workspaceId, runId) : run
  }

  /** When it resolves, no process works on the runs: others notice the revoked leases at their next renewal. */
  async abandonWorkspace(workspaceId: string, leases: readonly string[]): Promise<void> {
    const { leases: own, cluster } = this.#dependencies
    const isElsewhere = leases.some(lease => !own.holds(lease) && !hasEnded(lease))
    cluster.publish(workspaceDeleted, workspaceId)
    if (isElsewhere) await sleep(own.milliseconds / 3 + noticeMilliseconds)
  }

  #claimWaiting(
    workspaceId: string,
    runId: string,
    answer: { reply: string; chatId: string; stops?: boolean },
  ): Promise<LiveRun | undefined> {
    return this.#within(workspaceId, async reservation => {
      const claim = { ...this.#worker.leaseOf(reservation), ...answer }
      const run = await this.#dependencies.store.claimWaiting(workspaceId, runId, claim)
      return run && this.#worker.resume(reservation, { workspaceId, run })
    })
  }

  /** Reserves capacity before the run is started, so that concurrent starts cannot exceed the limit. */
  async #within<Live extends LiveRun | undefined>(
    workspaceId: string,
    begin: (reservation: RunReservation) => Promise<Live>,
  ): Promise<Live> {
    const reservation = this.#worker.reserve(workspaceId)
    let live: Live | undefined
    try {
      live = await begin(reservation)
      return live
    } finally {
      // A task releases it at its end.
      if (!live) reservation.release()
    }
  }

  async get(workspaceId: string, runId: string): Promise<RunRecord> {
    const run = await this.find(workspaceId, runId)
    if (!run) throw noRun(runId)
    return run
  }

  /** Undefined if it never started, or was removed by retention. */
  async find(workspaceId: string, runId: string): Promise<RunRecord | undefined> {
    const run = await this.#dependencies.store.find(workspaceId, runId)
    if (run?.outputs !== undefined)
      run.outputs = await this.#dependencies.outputStore.get(workspaceId, runId, run.outputs)
    return run
  }

  async steps(workspaceId: string, runId: string): Promise<StepRecord[]> {
    const steps = await this.#dependencies.store.steps(workspaceId, runId)
    for (const step of steps) if (step.outputs !== undefined) step.outputs = showLarge(step.outputs)
    return steps
  }

  /** The outputs, as JSON, of steps that called tools or reasoned and ended at this time or later. */
  thoughtOutputs(workspaceId: string, runId: string, since: number): Promise<string[]> {
    return this.#dependencies.store.thoughtOutputs(workspaceId, runId, since)
  }

  list(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>> {
    return this.#dependencies.store.list(workspaceId, filter, page)
  }

  /** Resolves when the run ends or waits, in whichever process it runs, and at the latest with the signal. */
  async settled(workspaceId: string, runId: string, signal: AbortSignal): Promise<RunRecord> {
    let watch: RunWatch | undefined
    try {
      for (;;) {
        const live = this.#worker.find(runId)
        // If the task lost its lease, another process has the run.
        if (live) await unlessAborted(live.settled, signal).catch(() => {})
        const run = await this.get(workspaceId, runId)
        if (!isActive(run.status) || signal.aborted) return run
        if (watch) while ((await watch.next(signal)).length > 0);
        else {
          watch = this.#worker.relay.watch(workspaceId, runId)
          // Only its end matters here.
          watch.seen = Number.MAX_SAFE_INTEGER
        }
      }
    } finally {
      watch?.close()
    }
  }

  /** All events after that number, past and future ones, until the run ends or waits. */
  async *events(
    workspaceId: string,
    runId: string,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<RunEvent> {
    await this.get(workspaceId, runId)
    let last = after
    let isOver = false
    /** While another process works on the run. */
    let watch: RunWatch | undefined
    try {
      while (!signal.aborted) {
        // Subscribes before it reads, so that no event is missed in between.
        const task = this.#worker.find(runId)
        const feed = task?.events(signal)
        if (task) {
          watch?.close()
          watch = undefined
        } else watch ??= this.#worker.relay.watch(workspaceId, runId)
        try {
          // The latest events may not be in the journal yet.
          await task?.flush()
          for await (const event of readEvents(this.#dependencies.store, workspaceId, runId, last, signal)) {
            last = event.seq
            yield event
          }
          for await (const event of feed ?? []) {
            if (event.seq <= last) continue
            last = event.seq
            yield event
          }
        } finally {
          feed?.close()
        }
        const { status, sequence } = await this.get(workspaceId, runId)
        // The events of an old run may have been deleted: after its end, one more read is enough.
        if (!isActive(status) && (sequence <= last || isOver)) return
        isOver = !isActive(status)
        if (watch && !isOver)
          for await (const event of watch.after(last, signal)) {
            last = event.seq
            yield event
          }
      }
    } finally {
      watch?.close()
    }
  }

  async #create(
    workspaceId: string,
    reservation: RunReservation,
    run: RunRecord,
    { plan, given }: Work,
  ): Promise<RunTask> {
    if (!reservation.take(2 * run.inputs.length))
      throw new AppError('rate_limited', outOfMemory(reservation.max).message)
    if (!(await this.#dependencies.store.create(workspaceId, run, this.#worker.leaseOf(reservation))))
      throw new AppError('already_exists', `The run ${run.id} already exists`)
    const previous = new PreviousAttempt()
    return this.#worker.begin({ workspaceId, run, reservation, previous, answered: undefined, plan, given })
  }

  #newRun(request: RunRequest, { version, skippedVersion }: Omit<FoundPlan, 'plan'>): RunRecord {
    const { target } = request
    const inputs: StoredInputs = { ...request.inputs, ...('trial' in target && { trial: target.trial }) }
    return {
      id: request.runId ?? mintId('run'),
      trigger: request.trigger,
      workflowId: 'graph' in target ? '' : target.workflowId,
      version,
      skippedVersion,
      agentId: request.agentId ?? '',
      conversationId: request.conversationId ?? '',
      userId: request.userId ?? '',
      chatId: request.chatId ?? '',
      triggerId: request.triggerId ?? '',
      graph: 'graph' in target ? JSON.stringify(target.graph) : undefined,
      inputs: JSON.stringify(inputs),
      question: storedQuestion(request.inputs.query),
      rerunOf: request.rerunOf ?? '',
      createdAt: this.#dependencies.clock.now(),
      status: 'running',
      answer: '',
      error: undefined,
      promptTokens: 0,
      completionTokens: 0,
      cost: 0,
      stepCount: 0,
      activeMilliseconds: 0,
      finishedAt: undefined,
      outputs: undefined,
      waiting: undefined,
      reply: undefined,
      sequence: 0,
      claims: 1,
    }
  }
}

/** The input variables of a workflow. One that does not exist or cannot run has none: its start reports why. */
export async function variablesOf(
  runs: Pick<Runs, 'variables'>,
  workspaceId: string,
  workflowId: string,
): Promise<readonly InputVariable[]> {
  return runs.variables(workspaceId, workflowId).catch((error: unknown) => {
    if (error instanceof AppError) return []
    throw error
  })
}
