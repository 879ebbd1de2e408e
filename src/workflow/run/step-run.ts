import { type Outcome, type Reply, StepFailure, type Wait } from '../step.ts'
import { Attempt, type StepWorld } from './attempt.ts'
import type { PlannedNode } from './plan.ts'
import type { StepRecord } from './run-store.ts'
import type { Keep } from './speakers.ts'

export interface StepEnds {
  /** An attempt failed and another one follows. */
  retrying(run: StepRun, failure: StepFailure): void
  ended(run: StepRun, outcome: Outcome): void
  failed(run: StepRun, failure: StepFailure): void
}

/** A workflow that runs inside a step. */
export interface NestedExecution {
  /** What it said so far. */
  readonly answer: string
  /** Whether the user hears it. */
  readonly isHeard: boolean
  breakOff(reason: unknown, keep: Keep): StepRecord[]
  runningSteps(onlyNew: boolean): StepRecord[]
}

/** How things stand with a step when it begins. */
export interface StepBefore {
  readonly starts: number
  readonly asked: number
  readonly resumed: { readonly wait: Wait; readonly reply: Reply } | undefined
  readonly promptTokens: number
  readonly completionTokens: number
}

const firstPause = 500
/** Who asks to be left alone for longer is not waited for. */
const longestPause = 60_000

/** One node of a run at work, attempt after attempt. It tells its end exactly once. */
export class StepRun {
  readonly node: PlannedNode
  readonly path: string
  readonly startedAt: number
  /** How often its work was begun and not ended, this time included. */
  readonly starts: number
  /** How often it has asked the user before. */
  readonly asked: number
  /** What it wrote so far of the outputs it streams. */
  written = ''
  /** In its earlier lives, too: it may have asked the user in between. */
  promptTokens: number
  completionTokens: number
  /** The wait that it goes on from, where it was answered. */
  readonly resumedFrom: Wait | undefined
  /** What it runs inside, by the name of the call. */
  readonly children = new Map<string, NestedExecution>()
  /** How many of those are under way. */
  calls = 0
  /** The journal knows that it was begun. */
  isRecorded = false
  readonly #world: StepWorld
  readonly #ends: StepEnds
  readonly #resumed: { state: unknown; reply: Reply } | undefined
  #attempt: Attempt
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  spoken = 0

  constructor(world: StepWorld, ends: StepEnds, node: PlannedNode, path: string, before: StepBefore) {
    this.#world = world
    this.#ends = ends
    this.node = node
    this.path = path
    this.starts = before.starts + 1
    this.asked = before.asked
    this.promptTokens = before.promptTokens
    this.completionTokens = before.completionTokens
    this.resumedFrom = before.resumed?.wait
    this.#resumed = before.resumed && { state: before.resumed.wait.state, reply: before.resumed.reply }
    this.startedAt = world.context.clock.now()
    this.#attempt = new Attempt(world, node, path, 1, this.#resumed)
  }

  get attempts(): number {
    return this.#attempt.attempt
  }

  get inputs(): Readonly<Record<string, unknown>> {
    return this.#attempt.inputs
  }

  /** Tokens of all attempts, the one under way included. */
  get spent(): { promptTokens: number; completionTokens: number } {
    return {
      promptTokens: this.promptTokens + this.#attempt.promptTokens,
      completionTokens: this.completionTokens + this.#attempt.completionTokens,
    }
  }

  fill(tree: unknown): unknown {
    return this.#attempt.fill(tree)
  }

  /** Begins the attempt. */
  start(): void {
    if (this.#isOver) return
    const attempt = this.#attempt
    let result: Outcome | Promise<Outcome>
    try {
      result = this.node.kind.run(attempt, this.node.data, this.#world.context.services)
    } catch (error) {
      return void this.#failed(attempt, error)
    }
    if (!(result instanceof Promise)) return void this.#ended(attempt, result)
    const { timeoutMilliseconds } = this.node.rule
    this.#timer = setTimeout(() => this.#failed(attempt, timedOut(timeoutMilliseconds)), timeoutMilliseconds)
    result.then(
      outcome => this.#ended(attempt, outcome),
      (error: unknown) => this.#failed(attempt, error),
    )
  }

  /** Gives it up; it tells nothing more. */
  cancel(reason: unknown): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#attempt.end(reason)
    this.#countTokens()
  }

  #ended(attempt: Attempt, outcome: Outcome): void {
    if (attempt.isOver) return
    this.#close(attempt)
    this.#isOver = true
    try {
      this.#ends.ended(this, outcome)
    } catch (error) {
      this.#ends.failed(this, unwritable(error))
    }
  }

  #failed(attempt: Attempt, error: unknown): void {
    if (attempt.isOver) return
    const failure = this.#failureOf(error)
    this.#close(attempt, failure)
    const { attempts } = this.node.rule
    const asked = failure.retryAfterMilliseconds ?? 0
    if (!failure.retryable || attempt.attempt >= attempts || asked > longestPause) {
      this.#isOver = true
      return void this.#ends.failed(this, failure)
    }
    this.#ends.retrying(this, failure)
    this.#timer = setTimeout(() => this.#again(), Math.max(this.#spread(asked), this.#pause(attempt.attempt)))
  }

  #again(): void {
    if (this.#isOver) return
    this.spoken = 0
    this.#attempt = new Attempt(this.#world, this.node, this.path, this.#attempt.attempt + 1, this.#resumed)
    this.start()
  }

  /** Half of the step at least, the rest by chance, so that many runs do not come back at once. */
  #pause(attempt: number): number {
    const { delayMilliseconds } = this.node.rule
    if (delayMilliseconds !== undefined) return delayMilliseconds
    return firstPause * 2 ** (attempt - 1) * (0.5 + this.#world.context.random() / 2)
  }

  /** Never sooner than was asked for; a little later for some, or all who were told so would come back at once. */
  #spread(asked: number): number {
    return asked * (1 + this.#world.context.random() / 5)
  }

  #close(attempt: Attempt, reason?: unknown): void {
    clearTimeout(this.#timer)
    attempt.end(reason)
    this.#countTokens()
  }

  #countTokens(): void {
    this.promptTokens += this.#attempt.promptTokens
    this.completionTokens += this.#attempt.completionTokens
    this.#attempt.promptTokens = 0
    this.#attempt.completionTokens = 0
  }

  #failureOf(error: unknown): StepFailure {
    if (error instanceof StepFailure) return error
    this.#world.context.report(error, this.path)
    return new StepFailure('internal', 'A fault of the server; its log tells more', { cause: error })
  }
}

/** JSON cannot hold everything that JavaScript can: nestings without end, or more text than fits. */
export const unwritable = (error: unknown): StepFailure =>
  error instanceof StepFailure
    ? error
    : new StepFailure('step_failed', 'Its outputs cannot be written as JSON', { cause: error })

const timedOut = (milliseconds: number): StepFailure =>
  new StepFailure('timed_out', `It took longer than ${milliseconds / 1000} seconds (timeout_ms)`, {
    retryable: true,
  })
