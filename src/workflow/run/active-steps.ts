import { type ChildCall, type ChildResult, type OutputMessage, type Outputs, StepFailure } from '../step.ts'
import type { StepWorld } from './attempt.ts'
import type { Plan, PlannedNode } from './plan.ts'
import type { RunContext } from './run-context.ts'
import type { StepRecord } from './run-store.ts'
import { type Keep, Speakers } from './speakers.ts'
import type { SpeechWorld } from './speech.ts'
import { endRecord, runningRecord } from './step-records.ts'
import type { StepRun } from './step-run.ts'
import type { Surroundings } from './surroundings.ts'
import type { Template, Values } from './template.ts'

/** The steps of one graph that are under way, and what they ask for while they are. */
export class ActiveSteps implements StepWorld {
  readonly context: RunContext
  readonly values: Values
  readonly speakers: Speakers
  readonly #plan: Plan
  readonly #surroundings: Surroundings
  readonly #runs = new Map<number, StepRun>()

  constructor(
    plan: Plan,
    context: RunContext,
    surroundings: Surroundings,
    known: Pick<SpeechWorld, 'outputsOf' | 'isSettled'>,
  ) {
    this.context = context
    this.#plan = plan
    this.#surroundings = surroundings
    this.values = { system: surroundings.system, memory: context.memory, outputsOf: known.outputsOf }
    const world = {
      ...this.values,
      isSettled: known.isSettled,
      written: (place: number, output: string) =>
        plan.nodes[place]!.kind.streams?.includes(output) ? this.#runs.get(place)?.written : undefined,
    }
    this.speakers = new Speakers(plan, context, world, surroundings.prefix, surroundings.heardBy)
  }

  enter(run: StepRun): void {
    this.#runs.set(run.node.place, run)
  }

  /** It has told its end, and its slot is free. */
  leave(run: StepRun): void {
    if (!this.#runs.delete(run.node.place)) return
    this.#hearChildren(run)
    this.context.slots.give()
  }

  runningRecord(node: PlannedNode): StepRecord[] {
    const run = this.#runs.get(node.place)
    return run ? [runningRecord(run)] : []
  }

  /** Gives all of them up. Their records, those of the steps inside them included. */
  breakOff(reason: unknown, keep: Keep): StepRecord[] {
    const at = this.context.clock.now()
    const runs = [...this.#runs.values()]
    this.#runs.clear()
    const records = runs.flatMap(run => {
      // Those inside first: what they said so far is heard only while this one has its turn.
      const inside = [...run.children.values()].flatMap(child => child.breakOff(reason, keep))
      this.#hearChildren(run)
      run.cancel(reason)
      return [endRecord(run, 'stopped', { outputs: writtenOutputs(run), at }), ...inside]
    })
    this.speakers.breakOff(keep)
    for (const _ of runs) this.context.slots.give()
    return records
  }

  /** For whoever has to take over; `onlyNew` leaves out those that were asked for before. */
  records(onlyNew: boolean): StepRecord[] {
    const records: StepRecord[] = []
    for (const run of this.#runs.values()) {
      if (!onlyNew || !run.isRecorded) records.push(runningRecord(run))
      run.isRecorded = true
      for (const child of run.children.values()) records.push(...child.runningSteps(onlyNew))
    }
    return records
  }

  template(text: string): Template {
    return this.#plan.template(text)
  }

  async runChild(node: PlannedNode, call: ChildCall, signal: AbortSignal): Promise<ChildResult> {
    const run = this.#runs.get(node.place)
    if (!run) throw new StepFailure('step_failed', 'The step is over and can run no workflow any more')
    const { heardBy } = this.#surroundings
    const passOn =
      call.sendsMessages && heardBy ? (say: () => void) => this.speakers.pass(node, say) : undefined
    // The slot is for those inside: else sixteen steps that wait for their children would wait for ever.
    if (run.calls === 0) this.context.slots.give()
    run.calls += 1
    try {
      return await this.#surroundings.runChild(run, call, passOn, signal)
    } finally {
      run.calls -= 1
      if (run.calls === 0) this.context.slots.retake()
    }
  }

  wrote(node: PlannedNode, piece: string): void {
    const run = this.#runs.get(node.place)
    if (!run) return
    run.written += piece
    this.context.journal.event('node.delta', { node_id: run.path, text: piece })
    this.speakers.wrote(node.place, piece)
  }

  restarted(node: PlannedNode): void {
    const run = this.#runs.get(node.place)
    if (!run || run.written === '') return
    run.written = ''
    this.context.journal.event('node.delta', { node_id: run.path, text: '', reset: true })
    this.speakers.restarted(node.place)
  }

  said(node: PlannedNode, message: OutputMessage): void {
    const run = this.#runs.get(node.place)
    if (!run) return
    run.spoken += 1
    // A step that asked and goes on says something new, and not what it said before it asked.
    const name = run.asked === 0 ? run.spoken : `${run.asked} ${run.spoken}`
    this.speakers.say(node, name, message)
  }

  #hearChildren(run: StepRun): void {
    if (run.children.size === 0) return
    const heard = [...run.children.values()].filter(child => child.isHeard)
    this.speakers.heard(
      run.node,
      heard.map(child => child.answer),
    )
  }
}

/** What a step that did not end well leaves behind. */
export const writtenOutputs = (run: StepRun): Outputs | undefined =>
  run.written === '' ? undefined : { text: run.written, result: run.written }
