import type { Clock } from '../../kernel/clock.ts'
import { isoTime } from '../../kernel/clock.ts'
import type { EventHub } from './event-hub.ts'
import type { Journal } from './journal.ts'
import { isForVault, keepLarge, type OutputVault } from './output-vault.ts'
import type { RunEvent, RunEventName } from './run-event.ts'
import type { RunMessage } from './run-listener.ts'
import type { EffectRecord, Hold, RunPatch, RunStore, StepRecord } from './run-store.ts'

/** Another process works on this run, or it was deleted: whatever is done here does not count any more. */
export class LeaseLost extends Error {}

export interface JournalParts {
  readonly store: RunStore
  readonly hold: Hold
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
  lines: string[]
  messages: RunMessage[]
  first: number
  last: number
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

  event(event: RunEventName, fields: Readonly<Record<string, unknown>>): void {
    if (this.#isLost) return
    const made = this.#make(event, fields)
    this.#parts.hub.publish(made)
    if (event === 'node.delta') {
      this.#deltaLength += made.line.length
      if (this.#deltaLength > keptDeltaLength) return
    }
    this.#keep(made)
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
  async close(
    steps: readonly StepRecord[],
    run: RunPatch,
    event: RunEventName,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const last = this.#make(event, fields)
    this.#keep(last)
    const pending = this.#open()
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

  #make(event: RunEventName, fields: Readonly<Record<string, unknown>>): RunEvent {
    const { hold, clock } = this.#parts
    this.#sequence += 1
    const seq = this.#sequence
    const line = JSON.stringify({ run_id: hold.runId, seq, event, at: isoTime(clock.now()), ...fields })
    return { seq, event, line, fields }
  }

  #keep({ seq, line }: RunEvent): void {
    const pending = this.#open()
    if (pending.lines.length === 0) pending.first = seq
    pending.lines.push(line)
    pending.last = seq
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
      lines: [],
      messages: [],
      first: 0,
      last: 0,
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
      events:
        pending.lines.length === 0
          ? undefined
          : { first: pending.first, last: pending.last, lines: pending.lines.join('\n') },
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
