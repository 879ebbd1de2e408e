import type { Clock } from '../../kernel/clock.ts'
import { LeaseLost } from '../../kernel/lease.ts'
import type { EventHub } from './event-hub.ts'
import type { Journal } from './journal.ts'
import { isForVault, keepLarge, type OutputVault } from './output-vault.ts'
import { type RunEvent, type RunEventFields, type RunEventName, runEvent } from './run-event.ts'
import type { RunMessage } from './run-listener.ts'
import type { EffectRecord, EventBatch, RunLease, RunPatch, RunStore, StepRecord } from './run-store.ts'

export interface JournalParts {
  readonly store: RunStore
  readonly hold: RunLease
  readonly vault: OutputVault
  readonly hub: EventHub
  readonly clock: Clock
  /** Told before the message is in the journal. */
  said(message: RunMessage): Promise<void>
  /** The steps under way that are not in the journal yet, written along when events are written in between. */
  runningSteps(): StepRecord[]
  /** False when the lease may have run out meanwhile, so that somebody else may have the run. */
  isSurelyHeld(): boolean
  /** Nothing can be written any more. */
  broke(error: unknown): void
}

/** So long at most a piece of text is only in memory. */
const flushMilliseconds = 100
/** Pieces of text beyond so many characters are told but not kept; what they add up to is kept with the step. */
const keptDeltaLength = 4 << 20

interface Pending {
  steps: StepRecord[]
  effects: EffectRecord[]
  events: RunEvent[]
  messages: RunMessage[]
  run: RunPatch | undefined
  promise: Promise<void>
  resolve(): void
  reject(error: unknown): void
}

/**
 * Writes a run down while it goes on. Events are heard at once and written with the next record, or after a moment;
 * one write is under way at a time, and what comes meanwhile goes along with the next.
 */
export class StoredJournal implements Journal {
  readonly isKept = true
  readonly #parts: JournalParts
  readonly #said: Set<string>
  #sequence: number
  #pending: Pending | undefined
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #deltaLength = 0
  #isLost = false

  /** `sequence` is the number of the last event so far; `said` the messages that were told in an earlier life. */
  constructor(parts: JournalParts, sequence: number, said: Iterable<string>) {
    this.#parts = parts
    this.#sequence = sequence
    this.#said = new Set(said)
  }

  event<Name extends RunEventName>(name: Name, fields: RunEventFields[Name]): void {
    if (this.#isLost) return
    const event = this.#make(name, fields)
    this.#parts.hub.publish(event)
    if (name === 'node.delta' && this.#deltaLength > keptDeltaLength) return
    this.#open().events.push(event)
    this.#writeSoon()
  }

  wasSaid(messageId: string): boolean {
    return this.#said.has(messageId)
  }

  say(message: RunMessage, nodeId: string): void {
    if (this.#said.has(message.id)) return
    this.#said.add(message.id)
    this.event('message', {
      message_id: message.id,
      node_id: nodeId,
      data_type: message.dataType,
      content: message.content,
      file_list: message.fileIds,
      timestamp: message.at,
    })
    this.#open().messages.push(message)
  }

  commit(steps: readonly StepRecord[], effects: readonly EffectRecord[] = []): Promise<void> {
    const pending = this.#open()
    pending.steps.push(...steps)
    pending.effects.push(...effects)
    this.#write()
    return pending.promise
  }

  /** The last entry: how the run ended, or that it waits. Who hears the last event finds it so in the journal. */
  async close<Name extends 'run.waiting' | 'run.finished'>(
    steps: readonly StepRecord[],
    run: RunPatch,
    name: Name,
    fields: RunEventFields[Name],
  ): Promise<void> {
    const last = this.#make(name, fields)
    const pending = this.#open()
    pending.events.push(last)
    pending.steps.push(...steps)
    pending.run = run
    this.#write()
    await pending.promise
    this.#parts.hub.publish(last)
  }

  /** Tells the messages that are not in the journal yet, for whoever must know of them before the end. */
  async tellMessages(): Promise<void> {
    // Those that are being written are told first.
    await this.#writing
    const messages = this.#pending?.messages.splice(0) ?? []
    for (const message of messages) await this.#parts.said(message)
  }

  /** Fails when somebody else has the run, before anybody outside is told what may not be so. */
  async confirm(): Promise<void> {
    if (this.#isLost) throw new LeaseLost('The run is worked on elsewhere')
    if (this.#parts.isSurelyHeld()) return
    const nothing = { steps: [], effects: [], events: undefined, run: undefined }
    if (!(await this.#parts.store.commit(this.#parts.hold, nothing)))
      throw new LeaseLost('The run is worked on elsewhere')
  }

  /** Resolves when everything that happened so far is written, or cannot be. */
  async flush(): Promise<void> {
    if (this.#pending) this.#write()
    await this.#pending?.promise.catch(() => {})
    await this.#writing
  }

  /** From now on nothing is told or written: whoever has the run next goes on from what is there. */
  giveUp(): void {
    this.#isLost = true
    clearTimeout(this.#timer)
    this.#pending?.reject(new LeaseLost('The run was given up'))
  }

  get sequence(): number {
    return this.#sequence
  }

  #make<Name extends RunEventName>(name: Name, fields: RunEventFields[Name]): RunEvent {
    const { hold, clock } = this.#parts
    this.#sequence += 1
    return runEvent({ runId: hold.runId, seq: this.#sequence, at: clock.now() }, name, fields)
  }

  #encode(events: readonly RunEvent[]): EventBatch | undefined {
    const kept = events.filter(({ event, line }) => {
      if (event !== 'node.delta') return true
      this.#deltaLength += line.length
      return this.#deltaLength <= keptDeltaLength
    })
    if (kept.length === 0) return undefined
    const lines = kept.map(({ line }) => line).join('\n')
    return { first: kept[0]!.seq, last: kept.at(-1)!.seq, lines }
  }

  #open(): Pending {
    if (this.#pending) return this.#pending
    let resolve = (): void => {}
    let reject = (_: unknown): void => {}
    const promise = new Promise<void>((done, failed) => {
      resolve = done
      reject = failed
    })
    // Nobody may be waiting for what only tells of progress.
    promise.catch(() => {})
    this.#pending = {
      steps: [],
      effects: [],
      events: [],
      messages: [],
      run: undefined,
      promise,
      resolve,
      reject,
    }
    return this.#pending
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (!this.#pending) return
      const known = new Set(this.#pending.steps.map(({ path }) => path))
      this.#pending.steps.push(...this.#parts.runningSteps().filter(({ path }) => !known.has(path)))
      this.#write()
    }, flushMilliseconds)
  }

  #write(): void {
    if (this.#writing || !this.#pending) return
    const pending = this.#pending
    this.#pending = undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#store(pending).then(
      () => {
        this.#writing = undefined
        pending.resolve()
        this.#continue()
      },
      (error: unknown) => {
        this.#writing = undefined
        this.#isLost = true
        this.#parts.broke(error)
        pending.reject(error)
        this.#pending?.reject(error)
      },
    )
  }

  /** What came while the last entry was written goes now where somebody waits for it, else with its own time. */
  #continue(): void {
    const next = this.#pending
    if (!next) return
    if (next.steps.length > 0 || next.effects.length > 0 || next.run) this.#write()
    else this.#writeSoon()
  }

  async #store(pending: Pending): Promise<void> {
    const { store, hold, vault } = this.#parts
    if (this.#isLost) throw new LeaseLost('The run is worked on elsewhere')
    if (pending.messages.length > 0) await this.confirm()
    for (const message of pending.messages) await this.#parts.said(message)
    const steps = latestOf(pending.steps)
    for (const step of steps)
      if (step.outputs !== undefined && isForVault(step.outputs))
        step.outputs = await keepLarge(vault, hold.workspaceId, hold.runId, step.outputs)
    const effects: EffectRecord[] = []
    for (const effect of pending.effects) {
      const result = await keepLarge(vault, hold.workspaceId, hold.runId, effect.result)
      effects.push({ ...effect, result })
    }
    const kept = await store.commit(hold, {
      steps,
      effects,
      events: this.#encode(pending.events),
      run: pending.run,
    })
    if (!kept) throw new LeaseLost('The run is worked on elsewhere')
  }
}

/** Of several records of one step only the last counts. */
function latestOf(steps: readonly StepRecord[]): readonly StepRecord[] {
  if (steps.length < 2) return steps
  return [...new Map(steps.map(step => [step.path, step])).values()]
}
