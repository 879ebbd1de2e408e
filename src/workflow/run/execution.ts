import { type Outcome, type Outputs, StepFailure, type Wait } from '../step.ts'
import { ActiveSteps, writtenOutputs } from './active-steps.ts'
import { EdgeLedger } from './edge-ledger.ts'
import { gatherOutputs } from './gather-outputs.ts'
import type { Plan, PlannedNode } from './plan.ts'
import type { RunContext } from './run-context.ts'
import { RunFailure } from './run-failure.ts'
import type { StepRecord } from './run-store.ts'
import type { Keep } from './speakers.ts'
import { defaultOf } from './step-default.ts'
import { tellFailure, tellFinished, tellStarted } from './step-events.ts'
import { stepPath } from './step-path.ts'
import { endRecord, queuedRecord, runningRecord, skipRecord, waitRecord } from './step-records.ts'
import { type NestedExecution, type StepEnds, StepRun, unwritable } from './step-run.ts'
import { readState, type StepState } from './step-state.ts'
import type { Surroundings } from './surroundings.ts'
import { textOfValue } from './template.ts'

export type ExecutionEnd =
  | { readonly status: 'succeeded'; readonly outputs: Outputs; readonly answer: string }
  /** Nothing more can be done until one of the open questions of the run is answered. */
  | { readonly status: 'waiting' }

const inLine = 1
const running = 2
const succeeded = 3
const skipped = 4
const waiting = 5

/** Two lives may begin the same step: the second time after a crash, but not a third. */
const mostStarts = 2

/** As JSON. */
const mostOutput = 32 << 20
export const mostOutputOfRun = 64 << 20

/** One graph at work: starts nodes when they may start, and knows what came out of them. */
export class Execution implements StepEnds, NestedExecution {
  readonly #context: RunContext
  readonly #plan: Plan
  readonly #surroundings: Surroundings
  readonly #edges: EdgeLedger
  readonly #states: Uint8Array
  readonly #outputs: (Outputs | undefined)[]
  readonly #active: ActiveSteps
  /** Which nodes were begun here and not only in an earlier life; kept only where that matters. */
  readonly #ranHere: Uint8Array | undefined
  /** Ready to start, in order. */
  #ready: number[] = []
  #isStarting = false
  /** Nodes under way: waiting for a slot, running, or being written to the journal. */
  #busy = 0
  #isWaiting = false
  /** Records of the steps that began to wait here. */
  readonly #waits: StepRecord[] = []
  #gathered: Outputs = Object.create(null)
  #isOver = false
  #finish: { resolve(end: ExecutionEnd): void; reject(error: unknown): void } | undefined

  constructor(plan: Plan, context: RunContext, surroundings: Surroundings) {
    this.#context = context
    this.#plan = plan
    this.#surroundings = surroundings
    this.#edges = new EdgeLedger(plan.links)
    this.#states = new Uint8Array(plan.nodes.length)
    this.#outputs = new Array(plan.nodes.length)
    this.#ranHere = surroundings.isTakenOver ? new Uint8Array(plan.nodes.length) : undefined
    for (const [place, outputs] of surroundings.given ?? []) {
      this.#states[place] = succeeded
      this.#outputs[place] = outputs
    }
    this.#active = new ActiveSteps(plan, context, surroundings, {
      outputsOf: place => this.#outputs[place],
      isSettled: place => this.#states[place] === succeeded || this.#states[place] === skipped,
    })
  }

  run(): Promise<ExecutionEnd> {
    return new Promise((resolve, reject) => {
      this.#finish = { resolve, reject }
      this.#start(this.#plan.starts)
    })
  }

  /** Everything that was said to the user so far. */
  get answer(): string {
    return this.#active.speakers.answer
  }

  get isHeard(): boolean {
    return this.#surroundings.heardBy !== undefined
  }

  /** Ends at once. The records of the steps that were under way. */
  breakOff(reason: unknown, keep: Keep): StepRecord[] {
    if (this.#isOver) return []
    this.#isOver = true
    // Steps inside those under way stand in the same line, and none of them may begin while they are given up.
    if (this.#surroundings.prefix === '') this.#context.slots.close()
    const finishedAt = this.#context.clock.now()
    const waits = this.#waits.map(wait => ({ ...wait, status: 'stopped' as const, finishedAt }))
    return [...waits, ...this.#active.breakOff(reason, keep)]
  }

  runningSteps(onlyNew: boolean): StepRecord[] {
    return this.#active.records(onlyNew)
  }

  /** The steps that could run and were not begun yet: they wait for others to make room. */
  stepsInLine(): StepRecord[] {
    const at = this.#context.clock.now()
    return this.#plan.nodes
      .filter(({ place }) => this.#states[place] === inLine)
      .map(node => queuedRecord(node, this.#pathOf(node), at))
  }

  flushSpeech(): void {
    this.#active.speakers.flush()
  }

  // How the steps end.

  retrying(run: StepRun, failure: StepFailure): void {
    tellFailure(this.#context, run, failure, true)
    this.#active.restarted(run.node)
  }

  ended(run: StepRun, outcome: Outcome): void {
    if (this.#isOver) return
    if ('wait' in outcome) this.#wait(run, outcome.wait)
    else this.#succeed(run, outcome)
  }

  failed(run: StepRun, failure: StepFailure): void {
    if (this.#isOver) return
    tellFailure(this.#context, run, failure, false)
    const { onError } = run.node.rule
    if (onError.do === 'fail') return void this.#fail(failure, run.path, run)
    // What it wrote is not what it gives.
    this.#active.restarted(run.node)
    this.#active.leave(run)
    if (onError.do !== 'default') return void this.#settle(run, undefined, { handled: 'skip' }, failure)
    try {
      const { outputs, chosen } = defaultOf(run, onError.value)
      this.#settle(run, outputs, { handled: 'default', ...chosen }, failure)
    } catch (error) {
      this.#fail(unwritable(error), run.path, run)
    }
  }

  // Starting nodes.

  #pathOf(node: PlannedNode): string {
    return stepPath(this.#surroundings.prefix, node.id)
  }

  /** A loop and not a recursion: a chain of a thousand steps that end at once must not fill the stack. */
  #start(places: readonly number[]): void {
    for (const place of places) this.#ready.push(place)
    if (this.#isStarting) return
    this.#isStarting = true
    for (let next = 0; next < this.#ready.length; next += 1) {
      const place = this.#ready[next]!
      this.#busy += 1
      this.#states[place] = inLine
      this.#context.slots.take(() => this.#begin(place))
    }
    this.#ready = []
    this.#isStarting = false
    this.#endWhenIdle()
  }

  #begin(place: number): void {
    const node = this.#plan.nodes[place]!
    if (this.#isOver) return void this.#rest()
    const path = this.#pathOf(node)
    const record = this.#context.restored.steps.get(path)
    const before = readState(record?.state)
    if (record && this.#restore(node, record, before)) return
    const starts = this.#startsBefore(place, record)
    if (starts >= mostStarts)
      return void this.#refuse(path, 'The server stopped twice while this step ran; start the run again')
    if (!record && !this.#context.countStep())
      return void this.#refuse(path, 'The run has had as many steps as a run may have')
    const { answered } = this.#context
    const isAnswered = before.wait && answered?.path === path && answered.ordinal === before.asked
    const run = new StepRun(this.#active, this, node, path, {
      starts,
      asked: before.asked ?? 0,
      resumed: isAnswered ? { wait: before.wait!, reply: answered.reply } : undefined,
      promptTokens: record?.promptTokens ?? 0,
      completionTokens: record?.completionTokens ?? 0,
    })
    this.#states[place] = running
    if (this.#ranHere) this.#ranHere[place] = 1
    this.#active.enter(run)
    tellStarted(this.#context, run, record !== undefined || starts > 0)
    this.#active.speakers.foresee(place)
    if (starts === 0) return void run.start()
    // Another life may have died of this very step: what dies of it twice must be known before it begins again.
    run.isRecorded = true
    this.#after(this.#context.journal.commit([runningRecord(run)]), () => run.start())
  }

  /**
   * How often a step was begun and not ended. The journal hears of a step a moment after it was begun: where it says
   * nothing, whoever died had begun it if all that comes before it had ended by then.
   */
  #startsBefore(place: number, record: StepRecord | undefined): number {
    if (record?.status === 'running') return record.starts
    if (!this.#ranHere) return 0
    return this.#plan.links.incoming[place]!.some(link => this.#ranHere![link.from] === 1) ? 0 : 1
  }

  /** Takes over how a step ended in an earlier life; false when it has to run. */
  #restore(node: PlannedNode, record: StepRecord, state: StepState): boolean {
    const { answered, memory, slots } = this.#context
    const { speakers } = this.#active
    if (record.status === 'waiting') {
      const { path = '', ordinal } = answered ?? {}
      const isAnswered = path === record.path && ordinal === state.asked
      if (isAnswered || path.startsWith(`${record.path}/`)) return false
      speakers.sayAgain(node, state.unsaid ?? [])
      if (state.wait) this.#ask(record.path, state.wait, state.asked ?? 1)
      this.#states[node.place] = waiting
      this.#isWaiting = true
      this.#rest()
      return true
    }
    const isSettled = record.status === 'succeeded' || (record.status === 'failed' && state.handled)
    if (!isSettled) return false
    if (state.assign) Object.assign(memory, state.assign)
    const outputs = record.outputs === undefined ? undefined : (JSON.parse(record.outputs) as Outputs)
    speakers.recall(node)
    speakers.foresee(node.place)
    speakers.sayAgain(node, state.unsaid ?? [])
    slots.give()
    this.#apply(node, state.handled === 'skip' ? undefined : (outputs ?? {}), state, [])
    return true
  }

  // Settling nodes.

  #succeed(run: StepRun, outcome: Extract<Outcome, { outputs: Outputs }>): void {
    const { node } = run
    const outputs = node.kind.gathers
      ? gatherOutputs(this.#plan, node.place, place => this.#outputs[place])
      : outcome.outputs
    const { assign } = outcome
    const state: StepState = {
      ...(outcome.case !== undefined && { case: outcome.case }),
      ...(assign && { assign }),
    }
    this.#active.leave(run)
    if (!assign) return void this.#settle(run, outputs, state, undefined)
    Object.assign(this.#context.memory, assign)
    this.#after(this.#context.remember(assign), () => this.#settle(run, outputs, state, undefined))
  }

  /** `outputs` undefined: it counts as skipped. */
  #settle(
    run: StepRun,
    outputs: Outputs | undefined,
    state: StepState,
    failure: StepFailure | undefined,
  ): void {
    const { journal, clock, restored } = this.#context
    const records: StepRecord[] = []
    if (journal.isKept) {
      const at = clock.now()
      const whole = { ...state, ...this.#active.speakers.unsaidBy(run.node) }
      const record = endRecord(run, failure ? 'failed' : 'succeeded', { outputs, state: whole, failure, at })
      this.#bound(record.outputs?.length ?? 0)
      records.push(record)
      tellFinished(this.#context, run, record, outputs)
      // The step around it may be tried again, which is no reason to do this once more.
      if (this.#surroundings.prefix !== '') restored.steps.set(run.path, { ...record })
    }
    this.#apply(run.node, outputs, state, records)
  }

  /** Makes known how a node ended, then writes it down, and only then starts what comes after it. */
  #apply(node: PlannedNode, outputs: Outputs | undefined, state: StepState, records: StepRecord[]): void {
    const { place } = node
    const { speakers } = this.#active
    this.#states[place] = outputs ? succeeded : skipped
    this.#outputs[place] = outputs
    if (node.kind.gathers && outputs) Object.assign(this.#gathered, outputs)
    if (node.kind.messageField !== undefined && outputs) speakers.finish(node, textOfValue(outputs['text']))
    speakers.settled(place)
    speakers.close(node)
    const next = this.#edges.settle(place, outputs ? state.case : null)
    for (const each of next.skipped) this.#skip(each, records)
    const written = records.length > 0 ? this.#context.journal.commit(records) : undefined
    this.#after(written, () => {
      this.#busy -= 1
      this.#start(next.ready)
    })
  }

  #skip(place: number, records: StepRecord[]): void {
    const { journal, restored, clock } = this.#context
    const node = this.#plan.nodes[place]!
    const path = this.#pathOf(node)
    this.#states[place] = skipped
    this.#active.speakers.settled(place)
    this.#active.speakers.close(node)
    if (!journal.isKept || restored.steps.has(path)) return
    journal.event('node.skipped', { node_id: path })
    records.push(skipRecord(node, path, clock.now()))
  }

  #wait(run: StepRun, wait: Wait): void {
    const { journal } = this.#context
    this.#active.leave(run)
    this.#states[run.node.place] = waiting
    this.#isWaiting = true
    this.#ask(run.path, wait, run.asked + 1)
    const record = waitRecord(run, wait, this.#active.speakers.unsaidBy(run.node))
    this.#waits.push(record)
    this.#after(journal.commit([record]), () => {
      this.#busy -= 1
      this.#endWhenIdle()
    })
  }

  #ask(path: string, wait: Wait, ordinal: number): void {
    if (wait.question === '') return
    this.#context.questions.push({ path, question: wait.question, options: wait.options ?? [], ordinal })
  }

  /** It had a slot and does nothing with it. */
  #rest(): void {
    this.#context.slots.give()
    this.#busy -= 1
    this.#endWhenIdle()
  }

  // How it ends.

  #refuse(path: string, message: string): void {
    this.#context.slots.give()
    this.#fail(new StepFailure('step_failed', message), path, undefined)
  }

  /** Not a step broke but what is made of its end: nothing may come out that takes the whole server along. */
  #breakDown(error: unknown): void {
    const path = this.#surroundings.prefix
    this.#context.report(error, path)
    const message = 'A fault of the server; its log tells more'
    this.#fail(new StepFailure('internal', message, { cause: error }), path, undefined)
  }

  /** All outputs of a run are in memory while it goes on. */
  #bound(length: number): void {
    if (length > mostOutput || !this.#context.countOutput(length))
      throw new StepFailure(
        'step_failed',
        `Its outputs are too large: at most ${mostOutput >> 20} MiB for a step, and ${mostOutputOfRun >> 20} MiB for a run`,
      )
  }

  #fail(failure: StepFailure, path: string, run: StepRun | undefined): void {
    if (this.#isOver) return
    const at = this.#context.clock.now()
    const failed = run ? [endRecord(run, 'failed', { failure, outputs: writtenOutputs(run), at })] : []
    const stopped = this.breakOff(failure, this.#surroundings.isFailureHandled ? 'nothing' : 'live')
    // Last, since the one that failed is among those that were stopped, and the last word on a step counts.
    this.#finish?.reject(new RunFailure(failure, path, [...stopped, ...failed]))
  }

  #endWhenIdle(): void {
    if (this.#busy > 0 || this.#isOver || this.#isStarting) return
    this.#isOver = true
    if (this.#isWaiting) this.#finish?.resolve({ status: 'waiting' })
    else this.#finish?.resolve({ status: 'succeeded', outputs: this.#gathered, answer: this.answer })
  }

  /** Goes on at once where there is nothing to wait for. */
  #after(promise: Promise<void> | undefined, next: () => void): void {
    if (!promise) return void next()
    promise.then(
      () => {
        if (this.#isOver) return
        try {
          next()
        } catch (error) {
          this.#breakDown(error)
        }
      },
      (error: unknown) => {
        this.breakOff(error, 'nothing')
        this.#finish?.reject(error)
      },
    )
  }
}
