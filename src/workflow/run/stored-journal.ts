import type { Clock } from '../../kernel/clock.ts'
import { isoTime } from '../../kernel/clock.ts'
import type { EventHub } from './event-hub.ts'
import type { Journal } from './journal.ts'
import { keepLarge, largeOutput, type OutputVault } from './output-vault.ts'
import type { RunEventName } from './run-event.ts'
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
  /** The steps under way, written along when events are written in between. */
  runningSteps(): StepRecord[]
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
  #isWriting = false
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
    this.#sequence += 1
    const seq = this.#sequence
    const { hold, clock, hub } = this.#parts
    const line = JSON.stringify({
      run_id: hold.runId,
      seq,
      event,
      at: isoTime(clock.now()),
      ...fields,
    })
    hub.publish({ seq, event, line, fields })
    if (event === 'node.delta') {
      this.#deltaLength += line.length
      if (this.#deltaLength > keptDeltaLength) return
    }
    const pending = this.#open()
    if (pending.lines.length === 0) pending.first = seq
    pending.lines.push(line)
    pending.last = seq
    this.#writeSoon()
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

  /** The last entry: how the run ended, or that it waits. */
  close(steps: readonly StepRecord[], run: RunPatch): Promise<void> {
    const pending = this.#open()
    pending.steps.push(...steps)
    pending.run = run
    this.#write()
    return pending.promise
  }

  /** Tells the messages that are not in the journal yet, for whoever must know of them before the end. */
  async tellMessages(): Promise<void> {
    const messages = this.#pending?.messages.splice(0) ?? []
    for (const message of messages) await this.#parts.said(message)
  }

  get sequence(): number {
    return this.#sequence
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
    if (this.#isWriting || !this.#pending) return
    const pending = this.#pending
    this.#pending = undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isWriting = true
    this.#store(pending).then(
      () => {
        this.#isWriting = false
        pending.resolve()
        this.#continue()
      },
      (error: unknown) => {
        this.#isWriting = false
        this.#isLost = true
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
    if (this.#isLost) throw new LeaseLost()
    for (const message of pending.messages) await this.#parts.said(message)
    const steps = latestOf(pending.steps)
    for (const step of steps)
      if (step.outputs !== undefined && step.outputs.length > largeOutput)
        step.outputs = await keepLarge(vault, hold.workspaceId, hold.runId, step.outputs)
    const kept = await store.commit(hold, {
      steps,
      effects: pending.effects,
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
