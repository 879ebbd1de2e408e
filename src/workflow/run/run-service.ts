import { setTimeout as sleep } from 'node:timers/promises'
import type { Page, PageRequest } from '../../contract/paging.ts'
import { AppError, invalidField } from '../../kernel/app-error.ts'
import { mintId } from '../../kernel/ids.ts'
import { findKind } from '../graph.ts'
import type { Reply } from '../step.ts'
import type { LiveRuns } from './live-runs.ts'
import { fetchLarge, showLarge } from './output-vault.ts'
import { readEvents } from './read-events.ts'
import type { RunEvent } from './run-event.ts'
import type { RunDependencies } from './run-parts.ts'
import type { NewRun, RunFilter, RunRecord, RunStatus, RunSummary, StepRecord } from './run-store.ts'
import type { LiveRun, RunInputs, RunRequest, Runs } from './runs.ts'
import { freshStart, type KeptInputs, taskStart, trialWork } from './task-start.ts'

const noRun = (id: string): AppError => new AppError('not_found', `There is no run ${id}`)

/** How often to look at a run that another process works on. */
const lookMilliseconds = 250

const isAtWork = (status: RunStatus): boolean => status === 'running' || status === 'queued'

export class RunService implements Runs {
  readonly #parts: RunDependencies
  readonly #live: LiveRuns

  constructor(parts: RunDependencies, live: LiveRuns) {
    this.#parts = parts
    this.#live = live
  }

  async start(workspaceId: string, request: RunRequest): Promise<LiveRun> {
    this.#live.makeRoom()
    const { what } = request
    const { plans } = this.#parts
    const found =
      'graph' in what
        ? { plan: plans.planOf(what.graph), version: 0 }
        : await plans.find(workspaceId, what.workflowId, what.version)
    const run = this.#newRun(request, found.version)
    await this.#parts.store.create(workspaceId, run)
    return this.#live.begin(freshStart(workspaceId, recordOf(run), run.lease, { plan: found.plan }))
  }

  async debug(workspaceId: string, request: Parameters<Runs['debug']>[1]): Promise<LiveRun> {
    this.#live.makeRoom()
    const { workflowId, nodeId, inputs, outputs } = request
    const { graph, version } = await this.#parts.plans.findDraft(workspaceId, workflowId, undefined)
    const node = graph.nodes.find(({ id }) => id === nodeId)
    if (!node) throw new AppError('not_found', `The workflow ${workflowId} has no node ${nodeId}`)
    if (!findKind(node.data, this.#parts.kinds))
      throw invalidField('/node_id', 'names a node of an unknown kind, which cannot run')
    const trial = { nodeId, outputs }
    const work = trialWork(this.#parts, graph, trial)
    const kept: KeptInputs = { ...inputs, trial }
    const run: NewRun = {
      ...this.#newRun({ what: { workflowId }, trigger: 'run', inputs: kept }, version),
      trigger: 'debug',
    }
    await this.#parts.store.create(workspaceId, run)
    return this.#live.begin(freshStart(workspaceId, recordOf(run), run.lease, work))
  }

  async resume(workspaceId: string, runId: string, reply: Reply, chatId = ''): Promise<LiveRun> {
    this.#live.makeRoom()
    const { lease, until } = this.#live.newLease()
    const run = await this.#parts.store.claimWaiting(workspaceId, runId, {
      lease,
      until,
      reply: JSON.stringify(reply),
      chatId,
    })
    if (run) return this.#live.begin(await taskStart(this.#parts, workspaceId, run, lease, false))
    const { status } = await this.get(workspaceId, runId)
    throw new AppError('version_conflict', `The run ${runId} does not wait for an answer: it is ${status}`)
  }

  async stop(workspaceId: string, runId: string): Promise<RunRecord> {
    const { store, clock } = this.#parts
    const live = this.#live.find(runId)
    if (!live) await this.#stopWaiting(workspaceId, runId)
    const status = await store.requestStop(workspaceId, runId, clock.now())
    if (status === undefined) throw noRun(runId)
    live?.stop()
    if (!isAtWork(status)) return this.get(workspaceId, runId)
    const run = await this.settled(workspaceId, runId, AbortSignal.timeout(20_000))
    // It began to wait in the moment it was stopped.
    return run.status === 'waiting' ? this.stop(workspaceId, runId) : run
  }

  /** A run that waits is taken up only to be ended, so that whoever it works for learns of it. */
  async #stopWaiting(workspaceId: string, runId: string): Promise<void> {
    const { lease, until } = this.#live.newLease()
    const nothing: Reply = { text: '', files: [], action: '' }
    const run = await this.#parts.store.claimWaiting(workspaceId, runId, {
      lease,
      until,
      reply: JSON.stringify(nothing),
      chatId: '',
    })
    if (!run) return
    const task = this.#live.begin(await taskStart(this.#parts, workspaceId, run, lease, false))
    task.stop()
    await task.settled.catch(() => {})
  }

  async get(workspaceId: string, runId: string): Promise<RunRecord> {
    const run = await this.#parts.store.find(workspaceId, runId)
    if (!run) throw noRun(runId)
    if (run.outputs !== undefined)
      run.outputs = await fetchLarge(this.#parts.vault, workspaceId, runId, run.outputs)
    return run
  }

  async steps(workspaceId: string, runId: string): Promise<StepRecord[]> {
    const steps = await this.#parts.store.steps(workspaceId, runId)
    for (const step of steps) if (step.outputs !== undefined) step.outputs = showLarge(step.outputs)
    return steps
  }

  list(workspaceId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>> {
    return this.#parts.store.list(workspaceId, filter, page)
  }

  async settled(workspaceId: string, runId: string, signal: AbortSignal): Promise<RunRecord> {
    for (;;) {
      // The task may have given the run up; then somebody else has it.
      await this.#live.find(runId)?.settled.catch(() => {})
      const run = await this.get(workspaceId, runId)
      if (!isAtWork(run.status) || signal.aborted) return run
      await sleep(lookMilliseconds, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async *events(
    workspaceId: string,
    runId: string,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<RunEvent> {
    await this.get(workspaceId, runId)
    let last = after
    while (!signal.aborted) {
      // Listens before it reads, so that nothing falls between.
      const task = this.#live.find(runId)
      const feed = task?.events(signal)
      try {
        // What was told a moment ago may not be in the journal yet.
        await task?.flush()
        for await (const event of readEvents(this.#parts.store, workspaceId, runId, last, signal)) {
          last = event.seq
          yield event
        }
        for await (const event of feed ?? []) {
          if (event.seq <= last) continue
          last = event.seq
          yield event
        }
      } finally {
        feed?.leave()
      }
      const { status, sequence } = await this.get(workspaceId, runId)
      if (!isAtWork(status) && sequence <= last) return
      if (!feed) await sleep(lookMilliseconds, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  #newRun(request: RunRequest & { inputs: RunInputs }, version: number): NewRun {
    const { what } = request
    const { lease, until } = this.#live.newLease()
    return {
      id: request.runId ?? mintId('run'),
      trigger: request.trigger,
      workflowId: 'graph' in what ? '' : what.workflowId,
      version,
      agentId: request.agentId ?? '',
      conversationId: request.conversationId ?? '',
      userId: request.userId ?? '',
      chatId: request.chatId ?? '',
      graph: 'graph' in what ? JSON.stringify(what.graph) : undefined,
      inputs: JSON.stringify(request.inputs),
      createdAt: this.#parts.clock.now(),
      lease,
      leaseUntil: until,
    }
  }
}

const recordOf = ({ lease: _, leaseUntil: __, ...run }: NewRun): RunRecord => ({
  ...run,
  status: 'running',
  answer: '',
  error: undefined,
  promptTokens: 0,
  completionTokens: 0,
  stepCount: 0,
  activeMilliseconds: 0,
  finishedAt: undefined,
  outputs: undefined,
  waiting: undefined,
  reply: undefined,
  sequence: 0,
  claims: 1,
})
