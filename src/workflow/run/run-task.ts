import { AppError } from '../../kernel/app-error.ts'
import { LeaseLost } from '../../kernel/lease.ts'
import { type Outputs, StepFailure } from '../step.ts'
import { type EventFeed, EventHub } from './event-hub.ts'
import { Execution, type ExecutionEnd, mostOutputOfRun } from './execution.ts'
import { messageId } from './message-id.ts'
import { keepLarge } from './output-vault.ts'
import type { Plan } from './plan.ts'
import type { EarlierLife } from './restore-run.ts'
import { childRunner } from './run-child.ts'
import type { Answered, RunContext } from './run-context.ts'
import { eventError, type RunEventFields, usageOnWire } from './run-event.ts'
import { RunFailure } from './run-failure.ts'
import type { ObservedRun, RunMessage, Settled } from './run-listener.ts'
import type { RunDependencies } from './run-parts.ts'
import type { RunLease, RunPatch, RunRecord, StepRecord } from './run-store.ts'
import type { LiveRun, RunInputs, RunResult } from './runs.ts'
import { Slots } from './slots.ts'
import { StoredJournal } from './stored-journal.ts'
import { systemValues } from './system-values.ts'

export interface TaskStart {
  readonly workspaceId: string
  readonly run: RunRecord
  readonly lease: string
  readonly plan: Plan
  /** Outputs of nodes that do not run, where a single one is tried. */
  readonly given?: ReadonlyMap<number, Outputs>
  readonly life: EarlierLife
  readonly answered: Answered | undefined
  /** Why the run can never go on, where that is so. */
  readonly impossible?: AppError
}

const passing: ReadonlySet<string> = new Set(['unavailable', 'storage_full', 'timed_out'])

/** Somebody wished the run to end. */
class Stopped extends Error {}
/** This process does not go on with it; another one will. */
class GivenUp extends Error {}

/** Numbers of events that an earlier life may have told but not written down; the next ones must be larger. */
const lostNumbers = 100_000
/** Outputs of a run beyond this are not told in its last event. */
const toldOutputLength = 64 << 10

/** One run at work in this process, from its start or from where the journal ends. */
export class RunTask implements LiveRun {
  readonly runId: string
  readonly hold: RunLease
  readonly settled: Promise<RunResult>
  readonly #parts: RunDependencies
  readonly #start: TaskStart
  readonly #hub = new EventHub()
  readonly #journal: StoredJournal
  readonly #messages: RunMessage[] = []
  readonly #listened: ObservedRun
  readonly #beganAt: number
  #steps: number
  #promptTokens = 0
  #outputLength = 0
  #completionTokens = 0
  #execution: Execution | undefined
  #context: RunContext | undefined
  #interrupt: (reason: unknown) => void = () => {}
  readonly #interrupted: Promise<never>
  #interruption: unknown
  #isBegun = false
  #isEnding = false
  #surelyHeldUntil: number

  constructor(parts: RunDependencies, start: TaskStart) {
    const { workspaceId, run, lease, life } = start
    this.#parts = parts
    this.#start = start
    this.runId = run.id
    this.hold = { workspaceId, runId: run.id, lease }
    this.#listened = { ...run, workspaceId }
    this.#beganAt = parts.clock.now()
    // The lease is a little older than this task.
    this.#surelyHeldUntil = this.#beganAt + parts.limits.leaseMilliseconds / 2
    this.#steps = [...life.steps.values()].filter(step => step.status !== 'skipped').length
    for (const step of life.steps.values()) {
      this.#promptTokens += step.promptTokens
      this.#completionTokens += step.completionTokens
    }
    this.#journal = new StoredJournal(
      {
        store: parts.store,
        vault: parts.vault,
        hold: this.hold,
        hub: this.#hub,
        clock: parts.clock,
        said: message => this.#tell(message),
        runningSteps: () => this.#execution?.runningSteps(true) ?? [],
        isSurelyHeld: () => parts.clock.now() < this.#surelyHeldUntil,
        broke: error => this.#interrupt(error),
      },
      life.sequence + (life.isTakenOver ? lostNumbers : 0),
      life.said,
    )
    this.#interrupted = new Promise((_, reject) => {
      this.#interrupt = reason => {
        this.#interruption ??= reason
        reject(reason)
      }
    })
    this.#interrupted.catch(() => {})
    // A moment later, so that whoever started it can listen from the first event on.
    this.settled = new Promise<void>(resolve => setImmediate(resolve))
      .then(() => this.#work())
      .finally(() => this.#hub.close())
    // Nobody may be waiting for it.
    this.settled.catch(() => {})
  }

  events(signal: AbortSignal): EventFeed {
    return this.#hub.listen(signal)
  }

  /** Resolves when all events so far are in the journal. */
  flush(): Promise<void> {
    return this.#journal.flush()
  }

  /** Nobody else gets it before then. */
  renewed(until: number): void {
    this.#surelyHeldUntil = until
  }

  /** Ends it and keeps what was said so far. */
  stop(): void {
    if (!this.#isEnding) this.#interrupt(new Stopped())
  }

  /** Leaves it to another process, or to the next start of this one. */
  async release(): Promise<void> {
    const steps = this.#execution?.runningSteps(false) ?? []
    // A step that was cut off on purpose did not bring the server down.
    const spared = steps.map(step => ({ ...step, starts: step.starts - 1 }))
    if (!this.#isEnding)
      await this.#journal.commit([...spared, ...(this.#execution?.stepsInLine() ?? [])]).catch(() => {})
    // It may have come to its end meanwhile.
    if (this.#isEnding) return void (await this.settled.catch(() => {}))
    this.abandon()
    await this.#parts.store.release(this.hold, this.#parts.clock.now()).catch(() => {})
  }

  /** Somebody else works on it. */
  abandon(): void {
    if (this.#isEnding) return
    this.#journal.giveUp()
    this.#interrupt(new GivenUp())
  }

  async #work(): Promise<RunResult> {
    try {
      const execution = await this.#prepare()
      if (this.#interruption !== undefined) throw this.#interruption
      const end = await this.#untilInterrupted(execution)
      this.#isEnding = true
      return await (end.status === 'waiting' ? this.#wait(execution) : this.#succeed(end))
    } catch (error) {
      return await this.#breakOff(error)
    }
  }

  async #untilInterrupted(execution: Execution): Promise<ExecutionEnd> {
    const { milliseconds } = this.#parts.limits
    const left = Math.max(0, milliseconds - this.#start.run.activeMilliseconds)
    const timer = setTimeout(() => this.#interrupt(tooLong(milliseconds)), left)
    this.#isBegun = true
    try {
      return await Promise.race([execution.run(), this.#interrupted])
    } finally {
      clearTimeout(timer)
    }
  }

  async #prepare(): Promise<Execution> {
    const { run, plan, life, given, answered, workspaceId, impossible } = this.#start
    if (impossible) throw impossible
    const { clock, limits, services } = this.#parts
    const recalled =
      run.trigger === 'chat' ? await this.#parts.listener.recall(this.#listened) : { history: [], memory: {} }
    const model = plan.systemNames.has('model') ? await this.#parts.defaultModel(workspaceId) : ''
    const system = systemValues(run, JSON.parse(run.inputs) as RunInputs, {
      history: recalled.history,
      model,
    })
    if (life.sequence === 0)
      this.#journal.event('run.started', {
        workflow_id: run.workflowId,
        version: run.version,
        inputs: system.inputs,
      })
    const context: RunContext = {
      workspaceId,
      runId: run.id,
      services,
      clock,
      journal: this.#journal,
      slots: new Slots(limits.parallel),
      restored: life,
      answered,
      questions: [],
      unsaid: new Map(),
      // Without a prototype, so that a key such as __proto__ is only a key.
      memory: Object.assign(Object.create(null), recalled.memory),
      remember: values => (run.trigger === 'chat' ? this.#remember(values) : undefined),
      countStep: () => {
        this.#steps += 1
        return this.#steps <= limits.steps
      },
      countOutput: length => {
        this.#outputLength += length
        return this.#outputLength <= mostOutputOfRun
      },
      countTokens: ({ promptTokens, completionTokens }) => {
        this.#promptTokens += promptTokens
        this.#completionTokens += completionTokens
      },
      findPlan: (workflowId, version) => this.#parts.plans.find(workspaceId, workflowId, version),
      defaultModel: () => this.#parts.defaultModel(workspaceId),
      random: Math.random,
      report: (error, path) =>
        this.#parts.log.warn({ err: error, run_id: run.id, step: path }, 'A step failed for no known reason'),
    }
    this.#context = context
    this.#execution = new Execution(plan, context, {
      system,
      prefix: '',
      heardBy: say => say(),
      isTakenOver: life.isTakenOver,
      ...(given && { given }),
      runChild: childRunner(context, system, run.workflowId === '' ? [] : [run.workflowId]),
    })
    return this.#execution
  }

  async #remember(values: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#journal.confirm()
    await this.#parts.listener.remember(this.#listened, values)
  }

  async #tell(message: RunMessage): Promise<void> {
    if (this.#start.run.trigger === 'chat') await this.#parts.listener.messageSent(this.#listened, message)
    this.#messages.push(message)
  }

  async #succeed(end: Extract<ExecutionEnd, { status: 'succeeded' }>): Promise<RunResult> {
    return this.#close([], {
      status: 'succeeded',
      answer: end.answer,
      outputs: JSON.stringify(end.outputs),
      error: undefined,
      waiting: undefined,
    })
  }

  /** Asks the question that was asked first; the others have their turn when it is answered. */
  async #wait(execution: Execution): Promise<RunResult> {
    execution.flushSpeech()
    const [question] = this.#context!.questions
    if (!question) throw new StepFailure('internal', 'The run waits for an answer, but no step asks for one')
    const { path, ordinal, options } = question
    this.#journal.say(
      {
        id: messageId(this.runId, path, `question ${ordinal}`),
        at: this.#parts.clock.now(),
        dataType: 'text',
        content: question.question,
        fileIds: [],
      },
      path,
    )
    const end = {
      status: 'waiting' as const,
      answer: execution.answer,
      outputs: undefined,
      error: undefined,
      waiting: question,
    }
    return this.#close([], end, { node_id: path, question: question.question, options })
  }

  /** What the run fails with; undefined when another process, or a later life, is to go on with it. */
  #failureOf(error: unknown): StepFailure | AppError | undefined {
    if (error instanceof RunFailure) return error.failure
    if (error instanceof StepFailure) return error
    if (error instanceof LeaseLost || error instanceof GivenUp) return undefined
    // The database cannot be reached, or its disk is full: the run is as good as before.
    if (error instanceof AppError && passing.has(error.reason)) return undefined
    if (error instanceof AppError) return error
    const { run } = this.#start
    this.#parts.log.warn({ err: error, run_id: run.id }, 'A run failed for no known reason')
    return new StepFailure('internal', 'A fault of the server; its log tells more', { cause: error })
  }

  async #breakOff(error: unknown): Promise<RunResult> {
    const execution = this.#execution
    const isBegun = this.#isBegun
    const answer = (): string => (execution && isBegun ? execution.answer : this.#start.run.answer)
    const end = { answer: '', outputs: undefined, waiting: undefined }
    if (error instanceof Stopped) {
      this.#isEnding = true
      const reason = new StepFailure('step_failed', 'The run was stopped')
      const records = [...this.#leftOver(), ...(execution?.breakOff(reason, 'all') ?? [])]
      return this.#close(records, { ...end, status: 'stopped', answer: answer(), error: undefined })
    }
    const failure = this.#failureOf(error)
    if (failure) {
      this.#isEnding = true
      const step = error instanceof RunFailure ? error.path : undefined
      const stopped = error instanceof RunFailure ? error.records : (execution?.breakOff(error, 'live') ?? [])
      const records = [...this.#leftOver(), ...stopped]
      const told = { reason: failure.reason, message: failure.message, ...(step !== undefined && { step }) }
      this.#journal.event('error', eventError(told))
      return this.#close(records, { ...end, status: 'failed', answer: answer(), error: told })
    }
    // The journal cannot be written, or this run is not ours any more: whoever has it next goes on.
    this.#journal.giveUp()
    execution?.breakOff(error, 'nothing')
    throw error instanceof GivenUp
      ? new AppError('unavailable', 'The server stops; the run goes on when it is back', { cause: error })
      : error
  }

  /** Steps of an earlier life that nobody went on with; those that somebody did are told of later. */
  #leftOver(): StepRecord[] {
    const finishedAt = this.#parts.clock.now()
    return [...this.#start.life.steps.values()]
      .filter(step => step.status === 'running' || step.status === 'waiting')
      .map(step => ({ ...step, status: 'stopped' as const, finishedAt }))
  }

  /** `asked` is told of a run that waits. */
  async #close(
    steps: readonly StepRecord[],
    end: Pick<RunPatch, 'status' | 'answer' | 'outputs' | 'error' | 'waiting'>,
    asked?: RunEventFields['run.waiting'],
  ): Promise<RunResult> {
    const { run, workspaceId } = this.#start
    const now = this.#parts.clock.now()
    const active = run.activeMilliseconds + Math.max(0, now - this.#beganAt)
    if (run.trigger === 'chat') {
      await this.#journal.confirm()
      await this.#journal.tellMessages()
      const settled = { status: end.status, error: end.error, messages: this.#messages } as Settled
      await this.#parts.listener.settled(this.#listened, settled)
    }
    const { outputs } = end
    const patch: RunPatch = {
      ...end,
      outputs:
        outputs === undefined ? undefined : await keepLarge(this.#parts.vault, workspaceId, run.id, outputs),
      promptTokens: this.#promptTokens,
      completionTokens: this.#completionTokens,
      stepCount: this.#steps,
      activeMilliseconds: active,
      finishedAt: end.status === 'waiting' ? undefined : now,
    }
    if (asked) await this.#journal.close(steps, patch, 'run.waiting', asked)
    else await this.#journal.close(steps, patch, 'run.finished', finishedFields(patch, outputs))
    return {
      run: { ...run, ...patch, outputs, sequence: this.#journal.sequence },
      messages: this.#messages,
    }
  }
}

const finishedFields = (patch: RunPatch, outputs: string | undefined): RunEventFields['run.finished'] => ({
  status: patch.status,
  answer: patch.answer,
  ...((outputs?.length ?? 0) <= toldOutputLength && {
    outputs: outputs === undefined ? null : (JSON.parse(outputs) as unknown),
  }),
  usage: usageOnWire(patch),
  elapsed_ms: patch.activeMilliseconds,
  error: patch.error === undefined ? null : eventError(patch.error),
})

const tooLong = (milliseconds: number): StepFailure =>
  new StepFailure('timed_out', `The run took longer than ${Math.round(milliseconds / 60_000)} minutes`)
