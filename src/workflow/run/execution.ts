import { limits } from '../../contract/limits.ts'
import { errorCase } from '../graph-links.ts'
import { type ChildResult, type Outcome, type Outputs, StepFailure, type Wait } from '../step.ts'
import { ActiveSteps } from './active-steps.ts'
import {
  internalFailure,
  interruptedTwice,
  messagesTooLong,
  outOfMemory,
  outputsTooLarge,
  RunFailure,
  tooManySteps,
  unwritable,
} from './failures.ts'
import { type KeepMessages, MessageStream } from './message-stream.ts'
import { ask, askAgain, withdrawQuestions } from './open-questions.ts'
import { gatherOutputs, outputsOfEnds, type Plan, type PlannedNode } from './plan.ts'
import { weightOf } from './run-capacity.ts'
import { type RunContext, reportError, stopped } from './run-context.ts'
import { withReply } from './run-inputs.ts'
import { GraphState } from './scheduler.ts'
import { newRecord, readState, type StepState, stepPath } from './step-record.ts'
import { type ExecutionOptions, type StepContext, StepRun } from './step-run.ts'
import type { StepRecord } from './store/run-records.ts'
import { textOfValue } from './template.ts'

/** A step may be started again after a crash once: a third start might bring the server down again. */
const maxStarts = 2

/** The execution of one graph: starts nodes when they may start, and holds their outputs. */
export class Execution {
  readonly #context: RunContext
  readonly #plan: Plan
  readonly #options: ExecutionOptions
  readonly #state: GraphState
  readonly messages: MessageStream
  readonly #active: ActiveSteps
  readonly #stepContext: StepContext
  /** Ready to start, in order. */
  #ready: number[] = []
  #isStarting = false
  /** Nodes that are queued for a slot, running, or being written to the journal. */
  #busy = 0
  /** Records of the steps of this graph that wait. */
  readonly #waits: StepRecord[] = []
  readonly #gathered = new Map<number, Outputs>()
  /** The memory that the outputs of this graph take from the reservation of the run. */
  weight = 0
  #isOver = false
  readonly #end = Promise.withResolvers<ChildResult>()

  constructor(plan: Plan, context: RunContext, options: ExecutionOptions) {
    this.#context = context
    this.#plan = plan
    this.#options = options
    const state = new GraphState(plan, options)
    this.#state = state
    for (const [name, value] of Object.entries(plan.memory))
      if (!Object.hasOwn(context.memory, name)) context.memory[name] = value
    const { environment } = plan
    const { answered } = context
    // The workflow that asked, and those around it, see the answer in all steps that start after it.
    const hasAsked = answered?.path.startsWith(options.prefix)
    const system = hasAsked ? withReply(options.system, answered!.reply) : options.system
    const values = { system, memory: context.memory, environment, outputs: state.outputs }
    const source = {
      ...values,
      isSettled: (place: number) => state.statuses[place] === 'settled',
      written: (place: number, output: string) =>
        plan.nodes[place]!.kind.streams?.includes(output) ? this.#active.get(place)?.written : undefined,
    }
    this.messages = new MessageStream(plan, context, source, options)
    this.#active = new ActiveSteps(context, this.messages)
    this.#stepContext = {
      run: context,
      plan,
      values,
      secrets: options.secrets,
      messages: this.messages,
      nested: options.nested,
      gather: place => gatherOutputs(plan, place, state.outputs),
      ended: (step, end) => this.#ended(step, end),
    }
  }

  /** `waiting`: nothing more can run until one of the open questions of the run is answered. */
  run(): Promise<ChildResult> {
    this.#start(this.#plan.starts)
    return this.#end.promise
  }

  /** Ends at once. Returns the records of the steps that were running or waiting. */
  abort(reason: unknown, keep: KeepMessages): StepRecord[] {
    if (this.#isOver) return []
    this.#isOver = true
    // Steps inside running steps wait in the same queue, and none of them may start during the abort.
    if (this.#options.prefix === '') this.#context.slots.close()
    const at = this.#context.clock.now()
    for (const { path } of this.#waits) withdrawQuestions(this.#context, path)
    return [...this.#waits.map(wait => stopped(wait, at)), ...this.#active.abort(reason, keep)]
  }

  runningSteps(onlyNew: boolean): StepRecord[] {
    return this.#active.records(onlyNew)
  }

  // How steps end.

  #ended(step: StepRun, end: Outcome | StepFailure): void {
    this.#handle(step, end, () => {
      if (end instanceof StepFailure) this.#failed(step, end)
      else if ('wait' in end) this.#wait(step, end.wait)
      else this.#succeed(step, end)
    })
  }

  #handle(step: StepRun, end: Outcome | StepFailure, work: () => void): void {
    if (this.#isOver) return
    try {
      work()
    } catch (error) {
      const failure = unwritable(error)
      // The rule of the step handles this error, unless applying the rule is what failed.
      if (end instanceof StepFailure) this.#fail(failure, step.path, step)
      else this.#ended(step, failure)
    }
  }

  #failed(step: StepRun, failure: StepFailure): void {
    step.emitFailure(failure, false)
    const { onError } = step.node.rule
    if (onError.do === 'fail') {
      const wait = this.#reopened(step, failure)
      return void (wait ? this.#wait(step, wait, failure) : this.#fail(failure, step.path, step))
    }
    // The text that it streamed is not its output.
    step.discard()
    this.#active.remove(step)
    if (onError.do === 'branch') {
      const error = { reason: failure.reason, message: failure.message }
      return void this.#settle(step, { error }, { handled: 'branch', case: errorCase }, failure)
    }
    if (onError.do !== 'default') return void this.#settle(step, undefined, { handled: 'skip' }, failure)
    const { outputs, chosen } = step.defaultOutputs(onError.value)
    this.#settle(step, outputs, { handled: 'default', case: chosen }, failure)
  }

  /** The question that a user can answer again, so that a moment without a model does not cost the earlier answers. */
  #reopened({ resumedFrom }: StepRun, failure: StepFailure): Wait | undefined {
    const isOpen = failure.retryable && this.#context.run.trigger === 'chat'
    const isHandled = this.#options.isFailureHandled?.(failure)
    return isOpen && !isHandled && resumedFrom?.question !== '' ? resumedFrom : undefined
  }

  // Starting nodes.

  #pathOf(node: PlannedNode): string {
    return stepPath(this.#options.prefix, node.id)
  }

  /** A loop instead of recursion: a chain of a thousand synchronous steps must not overflow the stack. */
  #start(places: readonly number[]): void {
    for (const place of places) this.#ready.push(place)
    if (this.#isStarting) return
    this.#isStarting = true
    for (let next = 0; next < this.#ready.length; next += 1) {
      const place = this.#ready[next]!
      this.#busy += 1
      this.#state.statuses[place] = 'queued'
      this.#context.slots.take(() => this.#guard(() => this.#begin(place)))
    }
    this.#ready = []
    this.#isStarting = false
    this.#endWhenIdle()
  }

  #begin(place: number): void {
    const node = this.#plan.nodes[place]!
    if (this.#isOver) return void this.#giveSlotBack()
    if (node.isDisabled) return void this.#passOver(node)
    const { previous, answered, journal, limits, usage } = this.#context
    const path = this.#pathOf(node)
    const record = previous.steps.get(path)
    const state = readState(record?.state)
    if (record && this.#restore(node, record, state)) return
    // The step runs again, and the steps inside it restore what they assigned.
    previous.assigned.delete(path)
    const starts = this.#state.startsBefore(place, record, previous.isCrashed)
    if (starts >= maxStarts) return void this.#refuse(path, interruptedTwice())
    if (!record) {
      usage.steps += 1
      if (this.#options.prefix !== '') usage.nestedSteps += 1
      if (usage.nestedSteps > limits.nestedSteps)
        return void this.#refuse(path, tooManySteps(limits.nestedSteps))
    }
    const reply = this.#isAnswered(path, state) ? answered?.reply : undefined
    const step = new StepRun(this.#contextOf(path), node, path, { starts, record, state, reply })
    this.#state.start(place)
    this.#active.add(step)
    step.emitStarted(record !== undefined || previous.isTakenOver)
    this.messages.expect(place)
    if (starts === 0) return void step.start()
    // This step may have crashed the server: the second start must be stored before it runs.
    step.isRecorded = true
    this.#after(journal.commit([step.runningRecord()]), () => step.start())
  }

  /** A step around the answered one continues with the values that it started with. */
  #contextOf(path: string): StepContext {
    const context = this.#stepContext
    if (!this.#context.answered?.path.startsWith(`${path}/`)) return context
    return { ...context, values: { ...context.values, system: this.#options.system } }
  }

  #isAnswered(path: string, { asked }: StepState): boolean {
    const { answered } = this.#context
    return answered?.path === path && answered.ordinal === asked
  }

  /** Restores a step that ended, or waits, since a previous attempt of the run; false when it has to run. */
  #restore(node: PlannedNode, record: StepRecord, state: StepState): boolean {
    const { answered, previous, slots } = this.#context
    if (record.status === 'waiting') {
      if (this.#isAnswered(record.path, state) || answered?.path.startsWith(`${record.path}/`)) return false
      this.#assignAgain(record.path)
      this.messages.resend(node, state.unsaid)
      this.#waits.push(record)
      // The step was stopped with the previous attempt.
      if (previous.ended.delete(record.path)) this.#context.journal.commit([record])?.catch(() => {})
      askAgain(this.#context, record.path)
      this.#state.statuses[node.place] = 'waiting'
      this.#giveSlotBack()
      return true
    }
    const isSettled = record.status === 'succeeded' || (record.status === 'failed' && state.handled)
    if (!isSettled) return false
    this.#assignAgain(record.path)
    const parsed = previous.parsed.get(record.path)
    previous.parsed.delete(record.path)
    const outputs =
      record.outputs === undefined ? undefined : ((parsed ?? JSON.parse(record.outputs)) as Outputs)
    const weight = record.outputs === undefined ? 0 : weightOf(record.outputs)
    this.weight += weight
    this.#state.hold(node.place, weight)
    // The outputs of a step inside another one are kept: they are read again when the outer step is retried.
    if (this.#options.prefix === '') record.outputs = undefined
    this.messages.restore(node, state.unsaid)
    slots.give()
    this.#apply(node, state.handled === 'skip' ? undefined : (outputs ?? {}), state, [])
    return true
  }

  /** Assigns only once: a second time, on a retry of the step around it, would undo later changes. */
  #assignAgain(path: string): void {
    const { memory, previous } = this.#context
    Object.assign(memory, previous.assigned.get(path))
    previous.assigned.delete(path)
  }

  // Settling nodes.

  #succeed(step: StepRun, outcome: Extract<Outcome, { outputs: Outputs }>): void {
    const { outputs, case: chosen, assign } = outcome
    const settle = (): void => {
      this.#active.remove(step)
      this.#settle(step, outputs, { case: chosen, assign })
    }
    if (!assign) return void settle()
    Object.assign(this.#context.memory, assign)
    // The step stays active until its memory is stored, so that a run that ends meanwhile has its record.
    this.#after(this.#context.remember(assign), () => this.#handle(step, outcome, settle))
  }

  /** Settles a step that ended; without `outputs` it counts as skipped. */
  #settle(step: StepRun, outputs: Outputs | undefined, state: StepState, failure?: StepFailure): void {
    const { journal, clock, previous, usage, reservation } = this.#context
    // The totals change only after all checks: after a refusal, the rule of the step may let the run continue.
    const isMessage = outputs && step.node.kind.messageField !== undefined && this.messages.isDelivered
    const messageLength = usage.messageLength + (isMessage ? textOfValue(outputs['text']).length : 0)
    if (messageLength > limits.runMessagesLength) throw messagesTooLong()
    const records: StepRecord[] = []
    if (journal.isKept) {
      const at = clock.now()
      const whole = { ...state, unsaid: this.messages.unsentBy(step.node) }
      const record = step.endRecord(failure ? 'failed' : 'succeeded', { outputs, state: whole, failure, at })
      const length = record.outputs?.length ?? 0
      if (length > limits.stepOutputLength || usage.outputLength + length > limits.runOutputLength)
        throw outputsTooLarge()
      const weight = record.outputs === undefined ? 0 : weightOf(record.outputs)
      if (!reservation.take(weight)) throw outOfMemory(reservation.max)
      usage.outputLength += length
      this.weight += weight
      this.#state.hold(step.node.place, weight)
      records.push(...this.#dropNested(step), record)
      step.emitFinished(record, outputs)
      // Inside another step, a retry of that step finds this record and does not run the step again. A step of the run's
      // own graph no longer needs its record.
      if (this.#options.prefix !== '') previous.steps.set(step.path, { ...record })
      else previous.steps.delete(step.path)
    }
    usage.messageLength = messageLength
    this.#apply(step.node, outputs, state, records)
  }

  /** Frees the workflows inside a step that ended, and returns the records of the steps that waited there. */
  #dropNested(step: StepRun): StepRecord[] {
    const { previous, reservation, clock } = this.#context
    const inside = `${step.path}/`
    if (step.children.size === 0 && !previous.waiting.some(({ path }) => path.startsWith(inside))) return []
    const records = previous.leftOver(inside, clock.now())
    for (const child of step.children.values()) reservation.give(child.weight)
    for (const each of previous.steps.keys()) if (each.startsWith(inside)) previous.steps.delete(each)
    return records
  }

  /** Publishes how a node ended, then stores it, and only then starts its successors. */
  #apply(node: PlannedNode, outputs: Outputs | undefined, state: StepState, records: StepRecord[]): void {
    const { place } = node
    this.#state.settle(place, outputs)
    // The outputs of a node that is tried alone are those of its run.
    if (outputs && (node.kind.gathers || this.#options.given)) this.#gathered.set(place, outputs)
    const isFailed = state.handled === 'branch'
    this.messages.settled(node, isFailed ? undefined : outputs)
    this.#continue(this.#state.settleEdges(place, outputs ? state.case : null, isFailed), records)
  }

  /** A disabled node counts as skipped, but what follows it does not. */
  #passOver(node: PlannedNode): void {
    this.#context.slots.give()
    const records: StepRecord[] = []
    this.#skip(node.place, records)
    this.#continue(this.#state.settleEdges(node.place, undefined), records)
  }

  #continue(next: ReturnType<GraphState['settleEdges']>, records: StepRecord[]): void {
    for (const each of next.skipped) this.#skip(each, records)
    const dropped = this.#state.dropUnread()
    if (dropped > 0) {
      this.weight -= dropped
      this.#context.reservation.give(dropped)
    }
    const written = records.length > 0 ? this.#context.journal.commit(records) : undefined
    this.#after(written, () => {
      this.#busy -= 1
      this.#start(next.ready)
    })
  }

  #skip(place: number, records: StepRecord[]): void {
    const { journal, previous, clock } = this.#context
    const node = this.#plan.nodes[place]!
    const path = this.#pathOf(node)
    this.#state.settle(place, undefined)
    this.messages.settled(node, undefined)
    if (!journal.isKept || previous.steps.has(path)) return
    journal.event('node.skipped', { node_id: path, kind: node.kind.kind, title: node.title })
    const at = clock.now()
    records.push({ ...newRecord(node, path, at), status: 'skipped', finishedAt: at })
  }

  #wait(step: StepRun, wait: Wait, failure?: StepFailure): void {
    if (failure) step.discard()
    this.#active.remove(step)
    this.#state.statuses[step.node.place] = 'waiting'
    ask(this.#context, step.path, wait, step.asked + 1, failure)
    const record = step.waitRecord(wait, this.messages.unsentBy(step.node))
    this.#waits.push(record)
    // A retry of the step around it keeps waiting.
    if (this.#options.prefix !== '') this.#context.previous.wait(record)
    this.#after(this.#context.journal.commit([record]), () => {
      this.#busy -= 1
      this.#endWhenIdle()
    })
  }

  #giveSlotBack(): void {
    this.#context.slots.give()
    this.#busy -= 1
    this.#endWhenIdle()
  }

  // How the execution ends.

  #refuse(path: string, failure: StepFailure): void {
    this.#context.slots.give()
    this.#fail(failure, path)
  }

  #fail(failure: StepFailure, path: string, step?: StepRun): void {
    if (this.#isOver) return
    const at = this.#context.clock.now()
    const failed = step ? [step.endRecord('failed', { failure, outputs: step.partialOutputs, at })] : []
    const stopped = this.abort(failure, this.#options.isFailureHandled?.(failure) ? 'none' : 'live')
    // The failed step comes last: it is also among the stopped ones, and the last record of a step counts.
    this.#end.reject(new RunFailure(failure, path, [...stopped, ...failed]))
  }

  #endWhenIdle(): void {
    if (this.#busy > 0 || this.#isOver || this.#isStarting) return
    this.#isOver = true
    if (this.#state.statuses.includes('waiting')) {
      this.messages.withdraw()
      this.#end.resolve({ status: 'waiting' })
    } else
      this.#end.resolve({
        status: 'succeeded',
        outputs: outputsOfEnds(this.#gathered),
        answer: this.messages.answer,
      })
  }

  /** Continues at once where there is nothing to wait for. */
  #after(promise: Promise<void> | undefined, next: () => void): void {
    if (!promise) return void next()
    promise.then(
      () => {
        if (!this.#isOver) this.#guard(next)
      },
      (error: unknown) => {
        this.abort(error, 'none')
        this.#end.reject(error)
      },
    )
  }

  /** Catches errors in the handling of a step's start or end; an uncaught error would end the server. */
  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      const { prefix } = this.#options
      reportError(this.#context, error, prefix)
      this.#fail(internalFailure(error), prefix)
    }
  }
}
