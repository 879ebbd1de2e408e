import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../src/kernel/app-error.ts'
import { mintId } from '../../src/kernel/ids.ts'
import { type RunEvent, type RunEventName, runEvent } from '../../src/workflow/run/run-event.ts'
import type { RunRequest } from '../../src/workflow/run/run-inputs.ts'
import type { ObservedRun, RunListener, RunMessage, RunResult } from '../../src/workflow/run/run-listener.ts'
import type { LiveRun, Runs } from '../../src/workflow/run/run-service.ts'
import type { OpenQuestion, RunError, RunRecord } from '../../src/workflow/run/store/run-records.ts'
import type { HistoryEntry, OutputMessage, Reply } from '../../src/workflow/step.ts'

type Recalled = { history: HistoryEntry[]; memory: Record<string, unknown> }

/** A run that follows the script of the test and notifies its listener like a real one. */
export class ScriptedRun {
  record: RunRecord
  request: RunRequest
  reply: Reply | undefined
  recalled: Recalled = { history: [], memory: {} }
  /** Delay between the notification of the listener and the end of the run. */
  writeMilliseconds = 0
  readonly events: RunEvent[] = []
  readonly changed = new EventEmitter()
  readonly #workspaceId: string
  readonly #listener: RunListener
  #said = 0

  constructor(workspaceId: string, record: RunRecord, request: RunRequest, listener: RunListener) {
    this.#workspaceId = workspaceId
    this.#listener = listener
    this.record = record
    this.request = request
    this.changed.setMaxListeners(100)
  }

  get listened(): ObservedRun {
    return { ...this.record, workspaceId: this.#workspaceId }
  }

  get isAtWork(): boolean {
    return this.record.status === 'running'
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

  async recall(): Promise<Recalled> {
    this.recalled = await this.#listener.recall(this.listened)
    return this.recalled
  }

  remember(values: Record<string, unknown>): Promise<void> {
    return this.#listener.remember(this.listened, values)
  }

  /** Says a text in these pieces. */
  async write(...pieces: string[]): Promise<RunMessage> {
    const id = `msg_${this.record.id}_${++this.#said}`
    for (const text of pieces) this.emit('node.delta', { node_id: 'out', text, message_id: id })
    return this.#say(id, { dataType: 'text', content: pieces.join(''), fileIds: [] })
  }

  say(message: OutputMessage): Promise<RunMessage> {
    return this.#say(`msg_${this.record.id}_${++this.#said}`, message)
  }

  async #say(id: string, message: OutputMessage): Promise<RunMessage> {
    const said = { id, at: 1_700_000_000_000 + this.#said, ...message }
    await this.#listener.messageSent(this.listened, said)
    this.emit('message', {
      message_id: id,
      node_id: 'out',
      data_type: message.dataType,
      content: message.content,
      file_list: message.fileIds,
      timestamp: said.at,
    })
    return said
  }

  async ask(question: string, options: string[] = []): Promise<void> {
    await this.write(question)
    await this.#settle('waiting', undefined, { path: 'q', question, options, ordinal: 1 })
  }

  /** An answer met a failure that may pass: the question is open again. */
  reopen = (failure: RunError): Promise<void> =>
    this.#settle('waiting', undefined, { path: 'q', question: 'Which?', options: [], ordinal: 2, failure })

  succeed = (): Promise<void> => this.#settle('succeeded', undefined)
  fail = (error: RunError): Promise<void> => this.#settle('failed', error)
  stop = (): Promise<void> => this.#settle('stopped', undefined)

  async #settle(
    status: 'waiting' | 'succeeded' | 'failed' | 'stopped',
    error: RunError | undefined,
    waiting?: OpenQuestion,
  ): Promise<void> {
    await this.#listener.settled(this.listened, { status, error, waiting })
    // The journal of a real run is written last, too.
    await sleep(this.writeMilliseconds)
    this.record = { ...this.record, status, error, waiting }
    this.emit(status === 'waiting' ? 'run.waiting' : 'run.finished', { status })
  }

  async whenSettled(signal?: AbortSignal): Promise<RunResult> {
    while (this.isAtWork) await once(this.changed, 'change', signal && { signal })
    return { run: this.record, messages: [] }
  }
}

/** Runs in memory. `script` is called for every run that starts or resumes. */
export class ScriptedRuns implements Runs {
  readonly runs = new Map<string, ScriptedRun>()
  readonly started: ScriptedRun[] = []
  script: (run: ScriptedRun) => Promise<void> = async run => {
    await run.write('echo: ', run.request.inputs.query)
    await run.succeed()
  }
  /** Thrown by the next start. */
  refusal: Error | undefined
  readonly #listener: RunListener

  constructor(listener: RunListener) {
    this.#listener = listener
  }

  async abandonWorkspace(): Promise<void> {}

  async variables() {
    return []
  }

  #find(workspaceId: string, runId: string): ScriptedRun {
    const run = this.runs.get(`${workspaceId} ${runId}`)
    if (!run) throw new AppError('not_found', 'There is no such run')
    return run
  }

  #play(run: ScriptedRun): LiveRun {
    this.started.push(run)
    setImmediate(() => void this.script(run))
    return {
      runId: run.record.id,
      settled: run.whenSettled(),
      events: () => {
        throw new Error('would miss what came before')
      },
    }
  }

  async start(workspaceId: string, request: RunRequest): Promise<LiveRun> {
    const { refusal } = this
    this.refusal = undefined
    if (refusal) throw refusal
    const record: RunRecord = {
      id: request.runId ?? mintId('run'),
      trigger: request.trigger,
      workflowId: 'workflowId' in request.target ? request.target.workflowId : '',
      version: 0,
      skippedVersion: undefined,
      agentId: request.agentId ?? '',
      conversationId: request.conversationId ?? '',
      userId: request.userId ?? '',
      chatId: request.chatId ?? '',
      triggerId: request.triggerId ?? '',
      question: '',
      rerunOf: '',
      createdAt: 1_700_000_000_000,
      status: 'running',
      answer: '',
      error: undefined,
      promptTokens: 0,
      completionTokens: 0,
      cost: 0,
      stepCount: 0,
      activeMilliseconds: 0,
      finishedAt: undefined,
      graph: undefined,
      inputs: '{}',
      outputs: undefined,
      waiting: undefined,
      reply: undefined,
      sequence: 0,
      claims: 1,
    }
    const run = new ScriptedRun(workspaceId, record, request, this.#listener)
    run.emit('run.started')
    this.runs.set(`${workspaceId} ${record.id}`, run)
    return this.#play(run)
  }

  async resume(workspaceId: string, runId: string, reply: Reply, chatId = ''): Promise<LiveRun> {
    const run = this.#find(workspaceId, runId)
    if (run.record.status !== 'waiting') throw new AppError('version_conflict', 'The run does not wait')
    run.reply = reply
    run.record = { ...run.record, status: 'running', waiting: undefined, chatId }
    return this.#play(run)
  }

  async stop(workspaceId: string, runId: string): Promise<RunRecord> {
    const run = this.#find(workspaceId, runId)
    if (run.isAtWork || run.record.status === 'waiting') await run.stop()
    return run.record
  }

  async get(workspaceId: string, runId: string): Promise<RunRecord> {
    return this.#find(workspaceId, runId).record
  }

  async find(workspaceId: string, runId: string): Promise<RunRecord | undefined> {
    return this.runs.get(`${workspaceId} ${runId}`)?.record
  }

  async settled(workspaceId: string, runId: string, signal: AbortSignal): Promise<RunRecord> {
    return (await this.#find(workspaceId, runId).whenSettled(signal)).run
  }

  async *events(workspaceId: string, runId: string, after: number, signal: AbortSignal) {
    const run = this.#find(workspaceId, runId)
    for (let next = after; ; ) {
      for (; next < run.events.length; next++) yield run.events[next]!
      if (!run.isAtWork || signal.aborted) return
      await once(run.changed, 'change', { signal }).catch(() => {})
    }
  }

  debug(): never {
    throw new Error('conversations debug nothing')
  }
  async thoughtOutputs(): Promise<string[]> {
    return []
  }

  steps(): never {
    throw new Error('conversations look at no steps')
  }
  list(): never {
    throw new Error('conversations list no runs')
  }
}
