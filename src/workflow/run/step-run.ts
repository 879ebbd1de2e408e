import { limits } from '../../contract/limits.ts'
import { isTemporary } from '../../kernel/retry-temporary.ts'
import { atOnce, inSlices } from '../../kernel/slices.ts'
import { isShort, writeInPieces } from '../../kernel/write-in-pieces.ts'
import { isJsonRecord } from '../json-record.ts'
import {
  type Outcome,
  type Outputs,
  type Reply,
  type Step,
  StepFailure,
  type SystemValues,
  type Wait,
} from '../step.ts'
import { Attempt, type AttemptContext, type AttemptStep, type NestedRuns } from './attempt.ts'
import { internalFailure, outputsTooLarge, stepTimedOut, unwritable } from './failures.ts'
import type { Deliver } from './message-stream.ts'
import { withdrawQuestions } from './open-questions.ts'
import type { PlannedNode } from './plan.ts'
import { reportError } from './run-context.ts'
import type { SecretValues } from './secret-values.ts'
import { newRecord, type StepState, writeState } from './step-record.ts'
import type { StepRecord, StepStatus } from './store/run-records.ts'

export interface StepContext extends AttemptContext {
  /** All outputs of the nodes connected to one. */
  gather(place: number): Outputs
  /** Called exactly once for a step that is not cancelled. */
  ended(step: StepRun, end: Outcome | StepFailure): void
}

/** How a graph is part of its run: as the run's own graph, or inside a step. */
export interface ExecutionOptions {
  readonly system: SystemValues
  /** Precedes the node ids in step paths; empty for the run's own graph. */
  readonly prefix: string
  /** Sends the messages of this graph; undefined: the user does not get them. */
  readonly deliver: Deliver | undefined
  /** A previous lease holder may have started these steps and crashed before the journal knew. */
  readonly isCrashed?: boolean
  /** Whether a step around this graph handles its failure, so that the run continues. */
  readonly isFailureHandled?: (failure: StepFailure) => boolean
  /** Outputs of nodes that do not run, for testing a single one. */
  readonly given?: ReadonlyMap<number, Outputs> | undefined
  /** Set where the graph uses secrets. */
  readonly secrets: SecretValues | undefined
  readonly nested: NestedRuns
}

/** The state of a step from before this start. */
interface StepStart {
  readonly starts: number
  readonly record: StepRecord | undefined
  readonly state: StepState
  /** The answer to what it asked last. */
  readonly reply: Reply | undefined
}

/** Larger outputs are left out of events. */
const eventOutputLength = 16 << 10
const firstDelay = 500
const storageDelay = 1000
/** A provider that asks for a longer pause is not tried again. */
const maxRetryAfter = 60_000

/** One node of a run at work, attempt after attempt. */
export class StepRun implements AttemptStep {
  readonly node: PlannedNode
  readonly path: string
  readonly system: SystemValues
  readonly startedAt: number
  readonly starts: number
  readonly asked: number
  written = ''
  /** Usage of all attempts, including those before it asked the user. */
  promptTokens: number
  completionTokens: number
  cost: number
  readonly children: AttemptStep['children'] = new Map()
  /** The journal knows that it was started. */
  isRecorded = false
  isActive = false
  readonly #context: StepContext
  /** The wait that it resumes from, where it was answered. */
  readonly resumedFrom: Wait | undefined
  readonly #resumed: Step['resumed']
  #attempt: Attempt
  /** Attempts before this start; they do not count towards the limit. */
  readonly #before: number
  /** Outputs that are already written as JSON. */
  #written: { readonly outputs: Outputs; readonly json: string } | undefined
  #timer: NodeJS.Timeout | undefined
  /** Attempts that failed because of our own database; they do not count towards the limit. */
  #delays = 0

  constructor(context: StepContext, node: PlannedNode, path: string, start: StepStart) {
    this.#context = context
    this.node = node
    this.path = path
    this.system = context.values.system
    const { record, state, reply } = start
    this.starts = start.starts + 1
    this.asked = state.asked ?? 0
    this.promptTokens = record?.promptTokens ?? 0
    this.completionTokens = record?.completionTokens ?? 0
    this.cost = state.cost ?? 0
    this.resumedFrom = reply && state.wait
    this.#resumed = reply && state.wait && { state: state.wait.state, reply }
    this.startedAt = context.run.clock.now()
    // An attempt that was interrupted, or has asked, is continued and counts; attempts before it do not.
    const isContinued = record?.status === 'running' || record?.status === 'waiting'
    this.#before = isContinued ? Math.max(record.attempts, 1) - 1 : 0
    this.#attempt = new Attempt(context, this, this.#before + 1, this.#resumed)
  }

  /** The outputs of a step that did not succeed: the text that it has streamed. */
  get partialOutputs(): Outputs | undefined {
    return this.written === '' ? undefined : { text: this.written, result: this.written }
  }

  /** The outputs of a failed step with a default. A default that is no object becomes both `text` and `result`. */
  defaultOutputs(value: unknown): { outputs: Outputs; chosen: string | undefined } {
    const filled = this.#attempt.fill(value)
    if (!isJsonRecord(filled)) return { outputs: { text: filled, result: filled }, chosen: undefined }
    const chosen = this.node.kind.cases ? filled['case'] : undefined
    return { outputs: filled, chosen: typeof chosen === 'string' ? chosen : undefined }
  }

  /** For a process that takes over; without the wait that it resumed from, a crash would lose the answer. */
  runningRecord(): StepRecord {
    return this.#record('running', { asked: this.asked || undefined, wait: this.resumedFrom })
  }

  endRecord(
    status: 'succeeded' | 'failed' | 'stopped',
    end: { outputs: Outputs | undefined; state?: StepState; failure?: StepFailure | undefined; at: number },
  ): StepRecord {
    return {
      ...this.#record(status, { asked: this.asked || undefined, ...end.state }),
      outputs: end.outputs && this.#jsonOf(end.outputs),
      error: end.failure && { reason: end.failure.reason, message: end.failure.message },
      finishedAt: end.at,
    }
  }

  #jsonOf(outputs: Outputs): string {
    return this.#written?.outputs === outputs ? this.#written.json : JSON.stringify(outputs)
  }

  waitRecord(wait: Wait, unsaid: StepState['unsaid']): StepRecord {
    const record = this.#record('waiting', { unsaid, wait, asked: this.asked + 1 })
    // This start ended properly and does not count as interrupted.
    return { ...record, starts: this.starts - 1 }
  }

  #record(status: StepStatus, state: StepState): StepRecord {
    const { attempt, inputs } = this.#attempt
    const written = JSON.stringify(inputs)
    return {
      ...newRecord(this.node, this.path, this.startedAt),
      status,
      attempts: attempt,
      starts: this.starts,
      promptTokens: this.promptTokens,
      completionTokens: this.completionTokens,
      state: writeState({ ...state, cost: this.cost || undefined }),
      inputs: written === '{}' ? undefined : written,
    }
  }

  /** `isRepeated`: it may have been started before, by the previous lease holder. */
  emitStarted(isRepeated: boolean): void {
    const { journal } = this.#context.run
    const { kind, title } = this.node
    journal.event('node.started', { node_id: this.path, kind: kind.kind, title, attempt: this.#before + 1 })
    // Pieces of its text may have been sent then.
    if (isRepeated && kind.streams) journal.event('node.delta', { node_id: this.path, text: '', reset: true })
  }

  emitFailure({ reason, message }: StepFailure, willRetry: boolean): void {
    const { attempt } = this.#attempt
    const fields = { node_id: this.path, reason, message, attempt, will_retry: willRetry }
    this.#context.run.journal.event('node.failed', fields)
  }

  emitFinished(record: StepRecord, outputs: Outputs | undefined): void {
    const isShown = record.outputs !== undefined && record.outputs.length <= eventOutputLength
    const { promptTokens, completionTokens } = this
    this.#context.run.journal.event('node.finished', {
      node_id: this.path,
      status: record.status,
      ...(isShown && { outputs }),
      elapsed_ms: (record.finishedAt ?? this.startedAt) - this.startedAt,
      ...(promptTokens + completionTokens > 0 && {
        usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens },
      }),
    })
  }

  start(): void {
    const attempt = this.#attempt
    if (attempt.isOver) return
    try {
      const result = this.node.kind.run(attempt, this.node.data, this.#context.run.services)
      if (!(result instanceof Promise)) return void this.#end(attempt, result)
      if (!this.node.kind.waitsForTurn) this.startTimeout(attempt)
      // This also catches errors of `#end`, which nothing else would catch.
      result
        .then(outcome => this.#end(attempt, outcome))
        .catch((error: unknown) => this.#fail(attempt, error))
    } catch (error) {
      this.#fail(attempt, error)
    }
  }

  startTimeout(attempt: Attempt): void {
    if (attempt.isOver) return
    const { timeoutMilliseconds } = this.node.rule
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => this.#fail(attempt, stepTimedOut(timeoutMilliseconds)),
      timeoutMilliseconds,
    )
  }

  /** Ends it without a call of `ended`. */
  cancel(reason: unknown): void {
    this.#close(this.#attempt, reason)
  }

  /** Discards the text streamed so far. */
  discard(): void {
    if (!this.isActive || this.written === '') return
    this.written = ''
    this.#context.run.journal.event('node.delta', { node_id: this.path, text: '', reset: true })
    this.#context.messages.discard(this.node.place)
  }

  #end(attempt: Attempt, given: Outcome): void {
    const outcome = attempt.secrets ? inSlices(attempt.secrets.mask(given), attempt) : given
    if (!(outcome instanceof Promise)) return void this.#endWith(attempt, outcome)
    outcome
      .then(masked => this.#endWith(attempt, masked))
      .catch((error: unknown) => this.#fail(attempt, error))
  }

  #endWith(attempt: Attempt, outcome: Outcome): void {
    if (attempt.isOver) return
    if ('wait' in outcome) return void this.#finish(attempt, outcome)
    const { kind, place } = this.node
    const gathers = kind.gathers !== undefined && Object.keys(outcome.outputs).length === 0
    const end = gathers ? { ...outcome, outputs: this.#context.gather(place) } : outcome
    if (isShort(end.outputs)) this.#finish(attempt, end)
    else void this.#writeOutputs(attempt, end)
  }

  /** Converts large outputs to JSON in slices; until this is done, the step may time out. */
  async #writeOutputs(attempt: Attempt, end: Extract<Outcome, { outputs: Outputs }>): Promise<void> {
    try {
      const json = await inSlices(writeInPieces(end.outputs, limits.stepOutputLength), attempt)
      if (json === undefined) throw outputsTooLarge()
      this.#written = { outputs: end.outputs, json }
      this.#finish(attempt, end)
    } catch (error) {
      this.#fail(attempt, unwritable(error))
    }
  }

  #finish(attempt: Attempt, end: Outcome): void {
    if (attempt.isOver) return
    this.#close(attempt)
    this.#context.ended(this, end)
  }

  #fail(attempt: Attempt, error: unknown): void {
    if (attempt.isOver) return
    const failure = this.#failureOf(error, attempt)
    this.#close(attempt, failure)
    withdrawQuestions(this.#context.run, this.path)
    if (this.#isStorageDown(failure)) {
      this.discard()
      this.#delays += 1
      this.#timer = setTimeout(() => this.#retry(), storageDelay)
      return
    }
    if (!this.willRetry(failure)) return void this.#context.ended(this, failure)
    this.emitFailure(failure, true)
    this.discard()
    // Waits at least as long as requested, plus a random part, so that many runs do not retry at the same moment.
    const retryAfter = (failure.retryAfterMilliseconds ?? 0) * (1 + Math.random() / 5)
    this.#timer = setTimeout(() => this.#retry(), Math.max(retryAfter, this.#backoff(this.#made)))
  }

  willRetry(failure: StepFailure): boolean {
    const { retryable, retryAfterMilliseconds = 0 } = failure
    if (this.#isStorageDown(failure)) return true
    return retryable && this.#made < this.node.rule.attempts && retryAfterMilliseconds <= maxRetryAfter
  }

  /** The attempts of this start that count towards the limit, including the current one. */
  get #made(): number {
    return this.#attempt.attempt - this.#before - this.#delays
  }

  /** Our own database does not answer: that delays the step, whatever its rule says about its own failures. */
  #isStorageDown({ cause }: StepFailure): boolean {
    const { clock, limits } = this.#context.run
    // A statement that timed out is no sign that the database is down.
    const isDown = isTemporary(cause) && cause.reason !== 'timed_out'
    return isDown && clock.now() - this.startedAt < limits.storageMilliseconds
  }

  #retry(): void {
    this.#attempt = new Attempt(this.#context, this, this.#attempt.attempt + 1, this.#resumed)
    this.start()
  }

  /** An exponential backoff, half of it random. */
  #backoff(attempt: number): number {
    const { delayMilliseconds } = this.node.rule
    if (delayMilliseconds !== undefined) return delayMilliseconds
    return firstDelay * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)
  }

  #close(attempt: Attempt, reason?: unknown): void {
    clearTimeout(this.#timer)
    attempt.end(reason)
  }

  #failureOf(error: unknown, { secrets }: Attempt): StepFailure {
    if (secrets && error instanceof Error) maskError(error, secrets)
    if (error instanceof StepFailure) return error
    reportError(this.#context.run, error, this.path)
    return internalFailure(error)
  }
}

/** Masks secrets in place, because the error is reported, logged and stored. Its cause may hold a secret as well. */
function maskError(error: Error, secrets: SecretValues): void {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    // Defined, because those of a DOMException cannot be assigned.
    for (const name of ['message', 'stack'] as const) {
      const text = each[name]
      if (text !== undefined)
        Object.defineProperty(each, name, { value: atOnce(secrets.mask(text)), configurable: true })
    }
  }
}
