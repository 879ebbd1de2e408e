import {
  type Outcome,
  type Outputs,
  type Reply,
  type Step,
  StepFailure,
  type SystemValues,
  type Wait,
} from '../step.ts'
import { Attempt, type AttemptContext, type AttemptStep } from './attempt.ts'
import { internalFailure, stepTimedOut } from './failures.ts'
import type { Deliver } from './message-stream.ts'
import type { PlannedNode } from './plan.ts'
import { reportError } from './run-context.ts'
import { emitFailure } from './step-record.ts'

/** What the steps of one graph share. */
export interface StepContext extends AttemptContext {
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
  readonly isTakenOver?: boolean
  /** A step around this graph handles its failure, so that the run continues. */
  readonly isFailureHandled?: boolean
  /** Outputs of nodes that do not run, for testing a single one. */
  readonly given?: ReadonlyMap<number, Outputs> | undefined
  readonly runNested: StepContext['runNested']
}

/** The state of a step before it starts. */
interface StepStart {
  readonly starts: number
  readonly asked: number
  readonly resumed: { readonly wait: Wait; readonly reply: Reply } | undefined
  readonly promptTokens: number
  readonly completionTokens: number
}

const firstDelay = 500
/** A provider that asks for a longer pause is not tried again. */
const maxRetryAfter = 60_000

/** One node of a run at work, attempt after attempt. */
export class StepRun implements AttemptStep {
  readonly node: PlannedNode
  readonly path: string
  readonly startedAt: number
  /** How often it was started and not ended, this time included. */
  readonly starts: number
  /** How many questions it has asked before. */
  readonly asked: number
  written = ''
  /** Of all attempts; also those before it asked the user. */
  promptTokens: number
  completionTokens: number
  /** The wait that it resumes from, where it was answered. */
  readonly resumedFrom: Wait | undefined
  readonly children: AttemptStep['children'] = new Map()
  /** The journal knows that it was started. */
  isRecorded = false
  isActive = false
  readonly #context: StepContext
  readonly #resumed: Step['resumed']
  #attempt: Attempt
  #timer: NodeJS.Timeout | undefined

  constructor(context: StepContext, node: PlannedNode, path: string, start: StepStart) {
    this.#context = context
    this.node = node
    this.path = path
    this.starts = start.starts + 1
    this.asked = start.asked
    this.promptTokens = start.promptTokens
    this.completionTokens = start.completionTokens
    this.resumedFrom = start.resumed?.wait
    this.#resumed = start.resumed && { state: start.resumed.wait.state, reply: start.resumed.reply }
    this.startedAt = context.run.clock.now()
    this.#attempt = new Attempt(context, this, 1, this.#resumed)
  }

  get attempts(): number {
    return this.#attempt.attempt
  }

  get inputs(): Readonly<Record<string, unknown>> {
    return this.#attempt.inputs
  }

  /** What a step that did not succeed leaves behind. */
  get partialOutputs(): Outputs | undefined {
    return this.written === '' ? undefined : { text: this.written, result: this.written }
  }

  /** The outputs of a failed step with a default: a text becomes its text and result. */
  defaultOutputs(value: unknown): { outputs: Outputs; chosen: { case?: string } } {
    const filled = this.#attempt.fill(value)
    if (typeof filled !== 'object' || filled === null || Array.isArray(filled))
      return { outputs: { text: filled, result: filled }, chosen: {} }
    const outputs = filled as Outputs
    const chosen = this.node.kind.cases ? outputs['case'] : undefined
    return { outputs, chosen: typeof chosen === 'string' ? { case: chosen } : {} }
  }

  start(): void {
    const attempt = this.#attempt
    if (attempt.isOver) return
    let result: Outcome | Promise<Outcome>
    try {
      result = this.node.kind.run(attempt, this.node.data, this.#context.run.services)
    } catch (error) {
      return void this.#fail(attempt, error)
    }
    if (!(result instanceof Promise)) return void this.#end(attempt, result)
    const { timeoutMilliseconds } = this.node.rule
    this.#timer = setTimeout(
      () => this.#fail(attempt, stepTimedOut(timeoutMilliseconds)),
      timeoutMilliseconds,
    )
    result.then(
      outcome => this.#end(attempt, outcome),
      (error: unknown) => this.#fail(attempt, error),
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

  #end(attempt: Attempt, outcome: Outcome): void {
    if (attempt.isOver) return
    this.#close(attempt)
    this.#context.ended(this, outcome)
  }

  #fail(attempt: Attempt, error: unknown): void {
    if (attempt.isOver) return
    const failure = this.#failureOf(error)
    this.#close(attempt, failure)
    const retryAfter = failure.retryAfterMilliseconds ?? 0
    if (!failure.retryable || attempt.attempt >= this.node.rule.attempts || retryAfter > maxRetryAfter)
      return void this.#context.ended(this, failure)
    emitFailure(this.#context.run.journal, this, failure, true)
    this.discard()
    // Never sooner than requested, and spread out, so that many runs do not retry at the same moment.
    const delay = Math.max(retryAfter * (1 + Math.random() / 5), this.#backoff(attempt.attempt))
    this.#timer = setTimeout(() => this.#retry(), delay)
  }

  #retry(): void {
    this.#attempt = new Attempt(this.#context, this, this.#attempt.attempt + 1, this.#resumed)
    this.start()
  }

  /** Exponential, half of it random. */
  #backoff(attempt: number): number {
    const { delayMilliseconds } = this.node.rule
    if (delayMilliseconds !== undefined) return delayMilliseconds
    return firstDelay * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)
  }

  #close(attempt: Attempt, reason?: unknown): void {
    clearTimeout(this.#timer)
    attempt.end(reason)
  }

  #failureOf(error: unknown): StepFailure {
    if (error instanceof StepFailure) return error
    reportError(this.#context.run, error, this.path)
    return internalFailure(error)
  }
}
