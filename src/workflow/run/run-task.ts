import { LeaseLost } from '../../cluster/lease-name.ts'
import { AppError } from '../../kernel/app-error.ts'
import { type Clock, steadyClock } from '../../kernel/clock.ts'
import { parseInPieces } from '../../kernel/parse-in-pieces.ts'
import { nextTurn, pause } from '../../kernel/pause.ts'
import { isTemporary } from '../../kernel/retry-temporary.ts'
import { inSlices } from '../../kernel/slices.ts'
import { writeJson } from '../../kernel/write-in-pieces.ts'
import { type ChildResult, type Outputs, StepFailure } from '../step.ts'
import { Execution } from './execution.ts'
import { internalFailure, RunFailure, runTimedOut } from './failures.ts'
import { Journal } from './journal.ts'
import { nestedRuns } from './nested-run.ts'
import { earlierQuestion } from './open-questions.ts'
import type { RunContext, RunDependencies, RunUsage, TaskStart } from './run-context.ts'
import { type EventFeed, eventError, usageOnWire } from './run-event.ts'
import { type RunInputs, systemValues } from './run-inputs.ts'
import type { ObservedRun, RunMessage, RunResult } from './run-listener.ts'
import { Slots } from './scheduler.ts'
import { loadSecrets } from './secret-values.ts'
import type { OpenQuestion, RunLease, RunPatch, StepRecord } from './store/run-records.ts'
import { messageId } from './streamed-message.ts'

/** The run was stopped on request. */
class Stopped extends StepFailure {
  constructor() {
    super('step_failed', 'The run was stopped')
  }
}

/** A crashed lease holder may have sent events that are not stored; the next numbers must be larger than theirs. */
const skippedNumbers = 100_000
/** How long a run may take to store its last events when the server shuts down. */
const releaseMilliseconds = 2000
/** Larger outputs of a run are left out of its last event. */
const eventOutputLength = 64 << 10

interface RunEnd extends Pick<RunPatch, 'status' | 'answer'>, Partial<Pick<RunPatch, 'error' | 'waiting'>> {
  outputs?: Outputs
}

/** One run at work in this process. It continues whether or not anyone subscribes to it. */
export class RunTask {
  readonly runId: string
  readonly lease: RunLease
  /** A steady clock: its times stay right if the clock of the machine is set during the run. */
  readonly clock: Clock
  /** Resolves when the run ends or waits; rejects only when another attempt will continue it. */
  readonly settled: Promise<RunResult>
  leaseValidUntil: number
  readonly #dependencies: RunDependencies
  readonly #start: TaskStart
  readonly #journal: Journal
  readonly #messages: RunMessage[] = []
  readonly #observed: ObservedRun
  readonly #startedAt: number
  readonly #questions: OpenQuestion[] = []
  readonly #usage: RunUsage
  /** Set once the work on the graph has started. */
  #execution: Execution | undefined
  readonly #interrupted = Promise.withResolvers<never>()
  #interruption: unknown
  #isEnding = false

  constructor(dependencies: RunDependencies, start: TaskStart) {
    const { workspaceId, run, reservation, previous } = start
    const { clock, leases } = dependencies
    this.#dependencies = dependencies
    this.#start = start
    this.runId = run.id
    this.lease = { workspaceId, runId: run.id, lease: reservation.lease }
    this.#observed = { ...run, workspaceId }
    this.clock = steadyClock(clock)
    this.#startedAt = this.clock.now()
    // The lease was taken a little earlier, so its validity is not counted in full.
    this.leaseValidUntil = leases.until() - leases.milliseconds / 2
    this.#usage = { ...previous.usage, outputLength: 0, messageLength: 0 }
    const sequence = previous.sequence + (previous.isTakenOver ? skippedNumbers : 0)
    this.#journal = new Journal(dependencies, this, sequence, previous.sent)
    this.#interrupted.promise.catch(() => {})
    // Starts a moment later, so that the caller can subscribe before the first event.
    this.settled = nextTurn()
      .then(() => this.#work())
      .finally(() => this.#journal.hub.close())
    // Handled even where nothing waits for it.
    this.settled.catch(() => {})
  }

  /** Its events from now on; ends when the run ends or waits, or with the signal. */
  events(signal: AbortSignal): EventFeed {
    return this.#journal.hub.subscribe(signal)
  }

  /** Resolves when all events so far are in the journal. */
  flush(): Promise<void> {
    return this.#journal.flush()
  }

  /** Ends the run and keeps its messages so far. */
  stop(): void {
    if (!this.#isEnding) this.interrupt(new Stopped())
  }

  /** Ends the work here with what is stored, so that the lease can be released. */
  async release(): Promise<void> {
    // Where the database does not answer, the next lease holder continues from what is stored.
    const late = pause(releaseMilliseconds)
    await Promise.race([this.#isEnding ? this.settled.catch(() => {}) : this.#journal.flush(), late])
    this.#journal.abandon()
    const message = 'The server is shutting down; the run continues when it is back'
    this.interrupt(new AppError('unavailable', message))
    await this.settled.catch(() => {})
  }

  /** Another process has the run. */
  abandon(): void {
    if (this.#isEnding) return
    this.#journal.abandon()
    this.interrupt(new LeaseLost('Another process has the run'))
  }

  interrupt(reason: unknown): void {
    this.#interruption ??= reason
    this.#interrupted.reject(reason)
  }

  newSteps(): StepRecord[] {
    return this.#execution?.runningSteps(true) ?? []
  }

  isLeaseValid(): boolean {
    return this.#dependencies.leases.time.now() < this.leaseValidUntil
  }

  writeDelayed(error: unknown): void {
    const details = { err: error, run_id: this.runId }
    this.#dependencies.log.warn(details, 'The journal of a run could not be written; trying again')
  }

  async messageSent(message: RunMessage): Promise<void> {
    if (this.#start.run.trigger === 'chat')
      await this.#dependencies.listener.messageSent(this.#observed, message)
    this.#messages.push(message)
  }

  async #work(): Promise<RunResult> {
    try {
      const execution = await this.#prepare()
      if (this.#interruption !== undefined) throw this.#interruption
      const end = await this.#untilInterrupted(execution)
      this.#isEnding = true
      return await (end.status === 'waiting' ? this.#wait(execution) : this.#close([], end))
    } catch (error) {
      return await this.#abort(error)
    }
  }

  async #untilInterrupted(execution: Execution): Promise<ChildResult> {
    const { milliseconds } = this.#dependencies.limits
    const left = Math.max(0, milliseconds - this.#start.run.activeMilliseconds)
    const timer = setTimeout(() => this.interrupt(runTimedOut(milliseconds)), left)
    this.#execution = execution
    try {
      return await Promise.race([execution.run(), this.#interrupted.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  async #prepare(): Promise<Execution> {
    const { run, plan, previous, given, workspaceId, impossible } = this.#start
    if (impossible) throw impossible
    const { listener, defaultModel } = this.#dependencies
    const inputs = (await inSlices(parseInPieces(run.inputs))) as RunInputs
    const { history, memory } =
      run.trigger === 'chat'
        ? await listener.recall(this.#observed)
        : { history: inputs.history ?? [], memory: {} }
    const model = plan.systemNames.has('model') ? await defaultModel(workspaceId) : ''
    const system = systemValues(run, inputs, { history, model })
    if (previous.sequence === 0)
      this.#journal.event('run.started', {
        workflow_id: run.workflowId,
        version: run.version,
        inputs: system.inputs,
        ...(run.skippedVersion !== undefined && { skipped_version: run.skippedVersion }),
      })
    const context = this.#runContext(memory)
    return new Execution(plan, context, {
      system,
      prefix: '',
      deliver: emit => emit(),
      isCrashed: previous.isCrashed,
      given,
      secrets: await loadSecrets(context, plan),
      nested: nestedRuns(context, run.workflowId === '' ? [] : [run.workflowId]),
    })
  }

  #runContext(memory: Readonly<Record<string, unknown>>): RunContext {
    return {
      ...this.#dependencies,
      ...this.#start,
      clock: this.clock,
      runId: this.runId,
      journal: this.#journal,
      slots: new Slots(this.#dependencies.limits.parallel),
      usage: this.#usage,
      questions: this.#questions,
      unsent: new Map(),
      // Without a prototype, so that a key such as __proto__ is only a key.
      memory: Object.assign(Object.create(null), memory),
      remember: values => (this.#start.run.trigger === 'chat' ? this.#remember(values) : undefined),
    }
  }

  async #remember(values: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#journal.confirmLease()
    await this.#dependencies.listener.remember(this.#observed, values)
  }

  /** Asks one question; the others follow when it is answered. */
  async #wait(execution: Execution): Promise<RunResult> {
    execution.messages.flush()
    if (this.#questions.length === 0)
      throw new StepFailure('internal', 'The run waits for an answer, but no step has asked')
    const waiting = this.#questions.reduce(earlierQuestion)
    const { path, ordinal, question } = waiting
    const id = messageId(this.runId, path, `question ${ordinal}`)
    const at = this.clock.now()
    // After a failure the user has the question already.
    if (!waiting.failure)
      this.#journal.sendMessage({ id, at, dataType: 'text', content: question, fileIds: [] }, path)
    return this.#close([], { status: 'waiting', answer: execution.messages.answer, waiting })
  }

  /** What the run fails with; undefined when another attempt will continue it. */
  #failureOf(error: unknown): StepFailure | AppError | undefined {
    if (error instanceof RunFailure) return error.failure
    if (error instanceof StepFailure) return error
    if (error instanceof LeaseLost) return undefined
    if (error instanceof AppError) return isTemporary(error) ? undefined : error
    const details = { err: error, run_id: this.runId }
    this.#dependencies.log.warn(details, 'A run failed with an unexpected error')
    return internalFailure(error)
  }

  async #abort(error: unknown): Promise<RunResult> {
    const execution = this.#execution
    const failure = this.#failureOf(error)
    if (!failure) {
      // The journal cannot be written, or the lease is lost: the next lease holder continues.
      this.#journal.abandon()
      execution?.abort(error, 'none')
      throw error
    }
    this.#isEnding = true
    const isStopped = failure instanceof Stopped
    const stopped =
      error instanceof RunFailure ? error.records : execution?.abort(failure, isStopped ? 'all' : 'live')
    // Records of the steps that were continued follow.
    const records = [...this.#start.previous.leftOver('', this.clock.now()), ...(stopped ?? [])]
    const answer = execution?.messages.answer ?? this.#previousAnswer
    if (isStopped) return this.#close(records, { status: 'stopped', answer })
    const { reason, message } = failure
    const runError = { reason, message, ...(error instanceof RunFailure && { step: error.path }) }
    this.#journal.event('error', eventError(runError))
    return this.#close(records, { status: 'failed', answer, error: runError })
  }

  get #previousAnswer(): string {
    const { previous, run } = this.#start
    return [...previous.texts.values()].join('\n\n') || run.answer
  }

  async #close(steps: readonly StepRecord[], end: RunEnd): Promise<RunResult> {
    const { run } = this.#start
    const { listener } = this.#dependencies
    const { status, answer, error, waiting } = end
    const outputs = end.outputs && (await writeJson(end.outputs))
    const now = this.clock.now()
    if (run.trigger === 'chat') {
      await this.#journal.confirmLease()
      await this.#journal.reportMessages()
      await listener.settled(this.#observed, { status, error, waiting })
    }
    const patch: RunPatch = {
      status,
      answer,
      error,
      waiting,
      outputs,
      promptTokens: this.#usage.promptTokens,
      completionTokens: this.#usage.completionTokens,
      cost: this.#usage.cost,
      stepCount: this.#usage.steps,
      activeMilliseconds: run.activeMilliseconds + now - this.#startedAt,
      finishedAt: waiting ? undefined : now,
    }
    if (waiting) {
      const { path, question, options } = waiting
      const usage = usageOnWire(patch)
      await this.#journal.close(steps, patch, 'run.waiting', { node_id: path, question, options, usage })
    } else
      await this.#journal.close(steps, patch, 'run.finished', {
        status,
        answer,
        ...((outputs?.length ?? 0) <= eventOutputLength && { outputs: end.outputs ?? null }),
        usage: usageOnWire(patch),
        elapsed_ms: patch.activeMilliseconds,
        error: error ? eventError(error) : null,
      })
    return {
      run: { ...run, ...patch, outputs, sequence: this.#journal.sequence },
      messages: this.#messages,
    }
  }
}
