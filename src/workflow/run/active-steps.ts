import type { KeepMessages, MessageStream } from './message-stream.ts'
import type { RunContext } from './run-context.ts'
import type { StepRun } from './step-run.ts'
import type { StepRecord } from './store/run-records.ts'

/** The running steps of one graph, by the place of their node. */
export class ActiveSteps {
  readonly #context: RunContext
  readonly #messages: MessageStream
  readonly #steps = new Map<number, StepRun>()

  constructor(context: RunContext, messages: MessageStream) {
    this.#context = context
    this.#messages = messages
  }

  get(place: number): StepRun | undefined {
    return this.#steps.get(place)
  }

  add(step: StepRun): void {
    step.isActive = true
    this.#steps.set(step.node.place, step)
  }

  /** Removes a step that has ended, and frees its slot. */
  remove(step: StepRun): void {
    if (!step.isActive) return
    step.isActive = false
    this.#steps.delete(step.node.place)
    this.#collectNested(step)
    this.#context.slots.give()
  }

  /** Ends all steps. Returns their records and those of the steps inside them. */
  abort(reason: unknown, keep: KeepMessages): StepRecord[] {
    const at = this.#context.clock.now()
    const steps = [...this.#steps.values()]
    this.#steps.clear()
    for (const step of steps) step.isActive = false
    const records = steps.flatMap(step => {
      // Steps inside end first: their messages can be sent only during the turn of this step.
      const inside = [...step.children.values()].flatMap(child => child.abort(reason, keep))
      this.#collectNested(step)
      step.cancel(reason)
      return [step.endRecord('stopped', { outputs: step.partialOutputs, at }), ...inside]
    })
    this.#messages.abort(keep)
    for (const _ of steps) this.#context.slots.give()
    return records
  }

  /** The records that let another process take over; `onlyNew` leaves out those that were returned before. */
  records(onlyNew: boolean): StepRecord[] {
    const records: StepRecord[] = []
    for (const step of this.#steps.values()) {
      if (!onlyNew || !step.isRecorded) records.push(step.runningRecord())
      step.isRecorded = true
      for (const child of step.children.values()) records.push(...child.runningSteps(onlyNew))
    }
    return records
  }

  #collectNested(step: StepRun): void {
    if (step.children.size === 0) return
    const inside = [...step.children.values()].map(({ messages }) =>
      messages.isDelivered ? messages.answer : '',
    )
    this.#messages.setNested(step.node, inside)
  }
}
