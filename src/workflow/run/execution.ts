import {
  type ChildCall,
  type ChildResult,
  type Outcome,
  type Outputs,
  type SpokenMessage,
  StepFailure,
  type SystemValues,
  type Wait,
} from '../step.ts'
import type { StepWorld } from './attempt.ts'
import { EdgeLedger } from './edge-ledger.ts'
import { gatherOutputs } from './gather-outputs.ts'
import type { Plan, PlannedNode } from './plan.ts'
import type { RunContext } from './run-context.ts'
import { RunFailure } from './run-failure.ts'
import type { StepRecord } from './run-store.ts'
import { Speakers } from './speakers.ts'
import { endRecord, runningRecord, skipRecord, waitRecord } from './step-records.ts'
import { type StepEnds, StepRun } from './step-run.ts'
import { readState, type StepState } from './step-state.ts'
import { type Template, textOfValue, type Values } from './template.ts'

export type ExecutionEnd =
  | { readonly status: 'succeeded'; readonly outputs: Outputs; readonly answer: string }
  /** Nothing more can be done until one of the open questions of the run is answered. */
  | { readonly status: 'waiting' }

export interface Surroundings {
  readonly system: SystemValues
  /** What stands before the ids of nodes in paths; empty for the run's own graph. */
  readonly prefix: string
  /** Lets those who speak in this graph be heard; undefined: they are not. */
  readonly heardBy: ((say: () => void) => void) | undefined
  /** Outputs of nodes that do not run, for trying a single one. */
  readonly given?: ReadonlyMap<number, Outputs>
  runChild(
    path: string,
    call: ChildCall,
    heardBy: Surroundings['heardBy'],
    signal: AbortSignal,
  ): Promise<ChildResult>
}

const running = 1
const succeeded = 2
const skipped = 3
const waiting = 4

/** Two lives may begin the same step: the second time after a crash, but not a third. */
const mostStarts = 2
/** Outputs beyond this are not told in events. */
const toldOutputLength = 16 << 10

/** One graph at work: starts nodes when they may start, and knows what came out of them. */
export class Execution implements StepWorld, StepEnds {
  readonly context: RunContext
  readonly values: Values
  readonly #plan: Plan
  readonly #surroundings: Surroundings
  readonly #edges: EdgeLedger
  readonly #states: Uint8Array
  readonly #outputs: (Outputs | undefined)[]
  readonly #active = new Map<number, StepRun>()
  readonly #speakers: Speakers
  /** Ready to start, in order. */
  #ready: number[] = []
  #isStarting = false
  /** Nodes under way: waiting for a slot, running, or being written to the journal. */
  #busy = 0
  #isWaiting = false
  #gathered: Outputs = Object.create(null)
  #isOver = false
  #finish: { resolve(end: ExecutionEnd): void; reject(error: unknown): void } | undefined

  constructor(plan: Plan, context: RunContext, surroundings: Surroundings) {
    this.context = context
    this.#plan = plan
    this.#surroundings = surroundings
    this.#edges = new EdgeLedger(plan.links)
    this.#states = new Uint8Array(plan.nodes.length)
    this.#outputs = new Array(plan.nodes.length)
    for (const [place, outputs] of surroundings.given ?? []) {
      this.#states[place] = succeeded
      this.#outputs[place] = outputs
    }
    this.values = {
      system: surroundings.system,
      memory: context.memory,
      outputsOf: place => this.#outputs[place],
    }
    const world = {
      ...this.values,
      isSettled: (place: number) => this.#states[place] === succeeded || this.#states[place] === skipped,
      written: (place: number, output: string) =>
        this.#plan.nodes[place]!.kind.streams?.includes(output)
          ? this.#active.get(place)?.written
          : undefined,
    }
    this.#speakers = new Speakers(plan, context, world, surroundings.prefix, surroundings.heardBy)
  }

  run(): Promise<ExecutionEnd> {
    return new Promise((resolve, reject) => {
      this.#finish = { resolve, reject }
      this.#start(this.#plan.starts)
    })
  }

  /** Everything that was said to the user so far. */
  get answer(): string {
    return this.#speakers.answer
  }

  /**
   * Ends at once. What was written so far is kept: `all` also keeps what no model wrote. The records of the steps that
   * were under way.
   */
  breakOff(reason: unknown, all: boolean): StepRecord[] {
    this.#isOver = true
    const at = this.context.clock.now()
    const records: StepRecord[] = []
    for (const run of this.#active.values()) {
      run.cancel(reason)
      const outputs = run.written === '' ? undefined : { text: run.written, result: run.written }
      records.push(endRecord(run, 'stopped', { outputs, at }))
    }
    this.#active.clear()
    this.#speakers.breakOff(all)
    return records
  }

  /** The steps under way, for whoever has to take over. */
  runningSteps(): StepRecord[] {
    return [...this.#active.values()].map(runningRecord)
  }

  flushSpeech(): void {
    this.#speakers.flush()
  }

  // What the steps ask for.

  template(text: string): Template {
    return this.#plan.template(text)
  }

  runChild(node: PlannedNode, call: ChildCall, signal: AbortSignal): Promise<ChildResult> {
    const path = this.#surroundings.prefix + node.id
    const heardBy =
      call.speaks && this.#surroundings.heardBy
        ? (say: () => void) => this.#speakers.pass(node, say)
        : undefined
    // The slot is for those inside: else sixteen steps that wait for their children would wait for ever.
    this.context.slots.give()
    return this.#surroundings.runChild(path, call, heardBy, signal).finally(() => this.context.slots.retake())
  }

  wrote(node: PlannedNode, piece: string): void {
    const run = this.#active.get(node.place)
    if (!run) return
    run.written += piece
    this.context.journal.event('node.delta', { node_id: run.path, text: piece })
    this.#speakers.wrote(node.place, piece)
  }

  restarted(node: PlannedNode): void {
    const run = this.#active.get(node.place)
    if (!run || run.written === '') return
    run.written = ''
    this.context.journal.event('node.delta', { node_id: run.path, text: '', reset: true })
    this.#speakers.restarted(node.place)
  }

  said(node: PlannedNode, message: SpokenMessage): void {
    const run = this.#active.get(node.place)
    if (!run) return
    run.spoken += 1
    this.#speakers.say(node, run.spoken, message)
  }

  // How the steps end.

  retrying(run: StepRun, failure: StepFailure): void {
    this.#tellFailure(run, failure, true)
    this.restarted(run.node)
  }

  ended(run: StepRun, outcome: Outcome): void {
    if (this.#isOver) return
    if ('wait' in outcome) return void this.#wait(run, outcome.wait)
    const { node } = run
    const outputs = node.kind.gathers
      ? gatherOutputs(this.#plan, node.place, place => this.#outputs[place])
      : outcome.outputs
    this.#leave(run)
    const state: StepState = {
      ...(outcome.case !== undefined && { case: outcome.case }),
      ...(outcome.assign && { assign: outcome.assign }),
    }
    if (!outcome.assign) return void this.#settle(run, outputs, state, undefined)
    Object.assign(this.context.memory, outcome.assign)
    this.#after(this.context.remember(outcome.assign), () => this.#settle(run, outputs, state, undefined))
  }

  failed(run: StepRun, failure: StepFailure): void {
    if (this.#isOver) return
    this.#tellFailure(run, failure, false)
    const { onError } = run.node.rule
    if (onError.do === 'fail') return void this.#fail(failure, run.path, run)
    this.#leave(run)
    if (onError.do !== 'default') return void this.#settle(run, undefined, { handled: 'skip' }, failure)
    const { outputs, chosen } = defaultOf(run, onError.value)
    this.#settle(run, outputs, { handled: 'default', ...chosen }, failure)
  }

  // Starting nodes.

  /** A loop and not a recursion: a chain of a thousand steps that end at once must not fill the stack. */
  #start(places: readonly number[]): void {
    for (const place of places) this.#ready.push(place)
    if (this.#isStarting) return
    this.#isStarting = true
    for (let next = 0; next < this.#ready.length; next += 1) {
      const place = this.#ready[next]!
      this.#busy += 1
      this.context.slots.take(() => this.#begin(place))
    }
    this.#ready = []
    this.#isStarting = false
    this.#endWhenIdle()
  }

  #begin(place: number): void {
    const node = this.#plan.nodes[place]!
    const path = this.#surroundings.prefix + node.id
    if (this.#isOver) return void this.#rest()
    const record = this.context.restored.steps.get(path)
    const before = readState(record?.state)
    if (record && this.#restore(node, record, before)) return
    const starts = record?.status === 'running' ? record.starts : 0
    if (starts >= mostStarts)
      return void this.#refuse(path, 'The server stopped twice while this step ran; start the run again')
    if (!this.context.countStep())
      return void this.#refuse(path, 'The run has had as many steps as a run may have')
    const { answered } = this.context
    const resumed =
      before.wait && answered?.path === path && answered.ordinal === before.asked
        ? { state: before.wait.state, reply: answered.reply }
        : undefined
    const run = new StepRun(this, this, node, path, { starts, asked: before.asked ?? 0, resumed })
    this.#states[place] = running
    this.#active.set(place, run)
    this.context.journal.event('node.started', {
      node_id: path,
      kind: node.kind.kind,
      title: node.title,
      attempt: 1,
    })
    this.#speakers.foresee(place)
    run.start()
  }

  /** Takes over how a step ended in an earlier life; false when it has to run. */
  #restore(node: PlannedNode, record: StepRecord, state: StepState): boolean {
    const { context } = this
    if (record.status === 'waiting') {
      const { path = '', ordinal } = context.answered ?? {}
      const isAnswered = path === record.path && ordinal === state.asked
      if (isAnswered || path.startsWith(`${record.path}/`)) return false
      if (state.wait) this.#ask(record.path, state.wait, state.asked ?? 1)
      this.#states[node.place] = waiting
      this.#isWaiting = true
      this.#rest()
      return true
    }
    const isSettled = record.status === 'succeeded' || (record.status === 'failed' && state.handled)
    if (!isSettled) return false
    if (state.assign) Object.assign(context.memory, state.assign)
    const outputs = record.outputs === undefined ? undefined : (JSON.parse(record.outputs) as Outputs)
    this.#speakers.foresee(node.place)
    this.context.slots.give()
    this.#apply(node, state.handled === 'skip' ? undefined : (outputs ?? {}), state, [])
    return true
  }

  // Settling nodes.

  /** `outputs` undefined: it counts as skipped. */
  #settle(
    run: StepRun,
    outputs: Outputs | undefined,
    state: StepState,
    failure: StepFailure | undefined,
  ): void {
    const { journal, clock } = this.context
    const at = clock.now()
    const records: StepRecord[] = []
    if (journal.isKept) {
      const record = endRecord(run, failure ? 'failed' : 'succeeded', { outputs, state, failure, at })
      records.push(record)
      const isTold = record.outputs !== undefined && record.outputs.length <= toldOutputLength
      journal.event('node.finished', {
        node_id: run.path,
        status: record.status,
        ...(isTold && { outputs }),
        elapsed_ms: at - run.startedAt,
        ...(run.promptTokens + run.completionTokens > 0 && {
          usage: { prompt_tokens: run.promptTokens, completion_tokens: run.completionTokens },
        }),
      })
    }
    this.#apply(run.node, outputs, state, records)
  }

  /** Makes known how a node ended, then writes it down, and only then starts what comes after it. */
  #apply(node: PlannedNode, outputs: Outputs | undefined, state: StepState, records: StepRecord[]): void {
    const { place } = node
    this.#states[place] = outputs ? succeeded : skipped
    this.#outputs[place] = outputs
    if (node.kind.gathers && outputs) Object.assign(this.#gathered, outputs)
    if (node.kind.speaks !== undefined && outputs) this.#speakers.finish(node, textOfValue(outputs['text']))
    this.#speakers.settled(place)
    this.#speakers.close(node)
    const next = this.#edges.settle(place, outputs ? state.case : null)
    for (const each of next.skipped) this.#skip(each, records)
    const written = records.length > 0 ? this.context.journal.commit(records) : undefined
    this.#after(written, () => {
      this.#busy -= 1
      this.#start(next.ready)
    })
  }

  #skip(place: number, records: StepRecord[]): void {
    const node = this.#plan.nodes[place]!
    const path = this.#surroundings.prefix + node.id
    this.#states[place] = skipped
    this.#speakers.settled(place)
    this.#speakers.close(node)
    if (!this.context.journal.isKept || this.context.restored.steps.has(path)) return
    this.context.journal.event('node.skipped', { node_id: path })
    records.push(skipRecord(node, path, this.context.clock.now()))
  }

  #wait(run: StepRun, wait: Wait): void {
    this.#leave(run)
    this.#states[run.node.place] = waiting
    this.#isWaiting = true
    this.#ask(run.path, wait, run.asked + 1)
    const { journal } = this.context
    const written = journal.isKept ? journal.commit([waitRecord(run, wait)]) : undefined
    this.#after(written, () => {
      this.#busy -= 1
      this.#endWhenIdle()
    })
  }

  #ask(path: string, wait: Wait, ordinal: number): void {
    if (wait.question === '') return
    this.context.questions.push({ path, question: wait.question, options: wait.options ?? [], ordinal })
  }

  #leave(run: StepRun): void {
    if (this.#active.delete(run.node.place)) this.context.slots.give()
  }

  /** It had a slot and does nothing with it. */
  #rest(): void {
    this.context.slots.give()
    this.#busy -= 1
    this.#endWhenIdle()
  }

  #refuse(path: string, message: string): void {
    this.context.slots.give()
    this.#fail(new StepFailure('step_failed', message), path, undefined)
  }

  #tellFailure(run: StepRun, failure: StepFailure, willRetry: boolean): void {
    this.context.journal.event('node.failed', {
      node_id: run.path,
      reason: failure.reason,
      message: failure.message,
      attempt: run.attempts,
      will_retry: willRetry,
    })
  }

  #fail(failure: StepFailure, path: string, run: StepRun | undefined): void {
    if (this.#isOver) return
    if (run) this.#active.delete(run.node.place)
    const outputs = run && run.written !== '' ? { text: run.written, result: run.written } : undefined
    const at = this.context.clock.now()
    const records = run ? [endRecord(run, 'failed', { failure, outputs, at })] : []
    records.push(...this.breakOff(failure, false))
    this.#finish?.reject(new RunFailure(failure, path, records))
  }

  #endWhenIdle(): void {
    if (this.#busy > 0 || this.#isOver || this.#isStarting) return
    this.#isOver = true
    if (this.#isWaiting) this.#finish?.resolve({ status: 'waiting' })
    else
      this.#finish?.resolve({
        status: 'succeeded',
        outputs: this.#gathered,
        answer: this.#speakers.answer,
      })
  }

  /** Goes on at once where there is nothing to wait for. */
  #after(promise: Promise<void> | undefined, next: () => void): void {
    if (!promise) return void next()
    promise.then(
      () => {
        if (!this.#isOver) next()
      },
      (error: unknown) => {
        this.breakOff(error, false)
        this.#finish?.reject(error)
      },
    )
  }
}

/** What stands for the outputs of a step that failed; a text stands for its text. */
function defaultOf(run: StepRun, value: unknown): { outputs: Outputs; chosen: { case?: string } } {
  const filled = run.fill(value)
  if (typeof filled !== 'object' || filled === null || Array.isArray(filled))
    return { outputs: { text: filled, result: filled }, chosen: {} }
  const outputs = filled as Outputs
  const chosen = run.node.kind.cases ? outputs['case'] : undefined
  return { outputs, chosen: typeof chosen === 'string' ? { case: chosen } : {} }
}
