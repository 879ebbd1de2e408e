import { EventEmitter, once } from 'node:events'
import type { Page } from '../../src/contract/paging.ts'
import { AppError } from '../../src/kernel/app-error.ts'
import { mintId } from '../../src/kernel/ids.ts'
import { type RunEvent, type RunEventName, runEvent } from '../../src/workflow/run/run-event.ts'
import type { RunFilter, RunRecord, RunSummary, StepRecord } from '../../src/workflow/run/run-records.ts'
import type { LiveRun, Runs } from '../../src/workflow/run/run-service.ts'
import type { RunMessage, RunRequest, RunResult } from '../../src/workflow/run/runs.ts'
import type { Reply } from '../../src/workflow/step.ts'

const settledStatuses = ['waiting', 'succeeded', 'failed', 'stopped']

/** A run that is controlled by the test. */
export class FakeRun {
  record: RunRecord
  readonly steps: StepRecord[] = []
  readonly events: RunEvent[] = []
  readonly messages: RunMessage[] = []
  readonly changed = new EventEmitter()
  replies: Reply[] = []

  constructor(record: RunRecord) {
    this.record = record
    this.emit('run.started', { workflow_id: record.workflowId, version: record.version })
  }

  get isSettled(): boolean {
    return settledStatuses.includes(this.record.status)
  }

  emit(event: RunEventName, fields: Record<string, unknown> = {}): void {
    const seq = this.record.sequence + 1
    this.record = { ...this.record, sequence: seq }
    this.events.push(
      runEvent(seq, event, {
        runId: this.record.id,
        at: Date.UTC(2026, 10, 15, 8, 30),
        fields: fields as never,
      }),
    )
    this.changed.emit('change')
  }

  say(content: string): void {
    const message = {
      id: `msg_${this.messages.length + 1}`,
      at: 17,
      dataType: 'text',
      content,
      fileIds: [],
    } as const
    this.messages.push(message)
    this.emit('message', {
      message_id: message.id,
      node_id: 'out',
      data_type: 'text',
      content,
      file_list: [],
      timestamp: 17,
    })
  }

  settle(patch: Partial<RunRecord>): void {
    this.record = { ...this.record, ...patch }
    this.emit(this.record.status === 'waiting' ? 'run.waiting' : 'run.finished', {
      status: this.record.status,
    })
  }

  async whenSettled(): Promise<RunResult> {
    while (!this.isSettled) await once(this.changed, 'change')
    return { run: this.record, messages: this.messages }
  }
}

/** Runs in memory; `script` decides what each run does when it starts or resumes. */
export class FakeRuns implements Runs {
  readonly runs = new Map<string, FakeRun>()
  readonly requests: RunRequest[] = []
  readonly workflows = new Set(['wf_hello'])
  script: (run: FakeRun) => void = run => run.settle({ status: 'succeeded' })
  /** The number of current subscribers. */
  readers = 0

  #find(workspaceId: string, runId: string): FakeRun {
    const run = this.runs.get(`${workspaceId} ${runId}`)
    if (!run) throw new AppError('not_found', 'There is no such run')
    return run
  }

  #live(run: FakeRun): LiveRun {
    setImmediate(() => this.script(run))
    const settled = run.whenSettled()
    return {
      runId: run.record.id,
      settled,
      events: () => {
        throw new Error('misses what came before')
      },
    }
  }

  async start(workspaceId: string, request: RunRequest): Promise<LiveRun> {
    const { what } = request
    if (!('workflowId' in what) || !this.workflows.has(what.workflowId))
      throw new AppError('not_found', 'There is no such workflow')
    this.requests.push(request)
    const run = new FakeRun({
      id: request.runId ?? mintId('run'),
      trigger: request.trigger,
      workflowId: what.workflowId,
      version: what.version ?? 1,
      agentId: request.agentId ?? '',
      conversationId: request.conversationId ?? '',
      userId: request.userId ?? '',
      chatId: request.chatId ?? '',
      createdAt: 1_700_000_000_000 + this.runs.size,
      status: 'running',
      answer: '',
      error: undefined,
      promptTokens: 0,
      completionTokens: 0,
      stepCount: 0,
      activeMilliseconds: 0,
      finishedAt: undefined,
      graph: undefined,
      inputs: JSON.stringify(request.inputs),
      outputs: undefined,
      waiting: undefined,
      reply: undefined,
      sequence: 0,
      claims: 1,
    })
    this.runs.set(`${workspaceId} ${run.record.id}`, run)
    return this.#live(run)
  }

  async debug(workspaceId: string, request: Parameters<Runs['debug']>[1]): Promise<LiveRun> {
    const { workflowId, inputs } = request
    const live = await this.start(workspaceId, { what: { workflowId }, trigger: 'run', inputs })
    const run = this.#find(workspaceId, live.runId)
    run.record = { ...run.record, trigger: 'debug' }
    run.steps.push(stepOf(request.nodeId, { outputs: JSON.stringify(request.outputs) }))
    return live
  }

  async resume(workspaceId: string, runId: string, reply: Reply): Promise<LiveRun> {
    const run = this.#find(workspaceId, runId)
    if (run.record.status !== 'waiting') throw new AppError('version_conflict', 'The run does not wait')
    run.replies.push(reply)
    run.record = { ...run.record, status: 'running', waiting: undefined }
    return this.#live(run)
  }

  async stop(workspaceId: string, runId: string): Promise<RunRecord> {
    const run = this.#find(workspaceId, runId)
    if (!run.isSettled || run.record.status === 'waiting') run.settle({ status: 'stopped' })
    return run.record
  }

  async get(workspaceId: string, runId: string): Promise<RunRecord> {
    return this.#find(workspaceId, runId).record
  }

  async steps(workspaceId: string, runId: string): Promise<StepRecord[]> {
    return this.#find(workspaceId, runId).steps
  }

  async list(workspaceId: string, filter: RunFilter): Promise<Page<RunSummary>> {
    const items = [...this.runs]
      .filter(([key]) => key.startsWith(`${workspaceId} `))
      .map(([, { record }]) => record)
      .filter(
        run =>
          (filter.workflowId ?? run.workflowId) === run.workflowId &&
          (filter.status ?? run.status) === run.status &&
          (filter.agentId ?? run.agentId) === run.agentId &&
          (filter.conversationId ?? run.conversationId) === run.conversationId,
      )
      .reverse()
    return { total: items.length, items }
  }

  async settled(workspaceId: string, runId: string): Promise<RunRecord> {
    return (await this.#find(workspaceId, runId).whenSettled()).run
  }

  async *events(
    workspaceId: string,
    runId: string,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<RunEvent> {
    const run = this.#find(workspaceId, runId)
    this.readers++
    try {
      for (let next = after; ; ) {
        for (; next < run.events.length; next++) yield run.events[next]!
        if (run.isSettled || signal.aborted) return
        await once(run.changed, 'change', { signal }).catch(() => {})
      }
    } finally {
      this.readers--
    }
  }
}

export const stepOf = (path: string, more: Partial<StepRecord> = {}): StepRecord => ({
  path,
  kind: 'llm',
  title: 'Answer',
  status: 'succeeded',
  inputs: undefined,
  outputs: undefined,
  state: undefined,
  error: undefined,
  attempts: 1,
  promptTokens: 3,
  completionTokens: 4,
  startedAt: 1_700_000_000_000,
  finishedAt: 1_700_000_000_250,
  starts: 0,
  ...more,
})
