import { LeaseLost } from '../../cluster/lease-name.ts'
import type { Clock } from '../../kernel/clock.ts'
import { isTemporary, retryTemporary } from '../../kernel/retry-temporary.ts'
import { EventHub, type RunEvent, type RunEventFields, type RunEventName, runEvent } from './run-event.ts'
import type { RunMessage } from './run-listener.ts'
import { isLarge, type OutputStore } from './store/output-store.ts'
import type {
  EffectRecord,
  EventBatch,
  JournalEntry,
  RunLease,
  RunPatch,
  StepRecord,
} from './store/run-records.ts'
import type { RunStore } from './store/run-store.ts'

/** The part of the journal that steps use. */
export type RunJournal = Pick<Journal, 'isKept' | 'event' | 'sendMessage' | 'wasSent' | 'commit'>

interface JournalStores {
  readonly store: RunStore
  readonly outputStore: OutputStore
  readonly limits: { readonly storageMilliseconds: number }
}

/** The task that writes the journal. */
interface JournalOwner {
  readonly lease: RunLease
  readonly clock: Clock
  /** Called before the message is stored in the journal. */
  messageSent(message: RunMessage): Promise<void>
  /** The running steps that are not in the journal yet; they are written along with events. */
  newSteps(): StepRecord[]
  /** False when the lease may have expired, so that another process may have the run. */
  isLeaseValid(): boolean
  /** A write failed and is tried again. */
  writeDelayed(error: unknown): void
  /** The write of an entry failed for good. */
  interrupt(error: unknown): void
}

/** How long an event stays only in memory. */
const flushMilliseconds = 100
/** Text pieces beyond this many characters are sent but not stored; the step's outputs hold their sum. */
const maxDeltaLength = 4 << 20

const leaseLost = (): LeaseLost => new LeaseLost('Another process has the run')

interface Pending extends PromiseWithResolvers<void> {
  steps: StepRecord[]
  effects: EffectRecord[]
  events: RunEvent[]
  messages: RunMessage[]
  run: RunPatch | undefined
}

/**
 * Stores a run while it is active. Events are published at once and written with the next record, or after a moment. One
 * write is in progress at a time; what arrives meanwhile goes into the next. If the database refuses a write for the
 * moment, it is repeated; until then no step starts, and only a limited part of streamed text is held.
 */
export class Journal {
  /** False in a test double that stores nothing, so that no records need to be built. */
  readonly isKept: boolean = true
  readonly hub = new EventHub()
  /** The number of the last event. */
  sequence: number
  readonly #stores: JournalStores
  readonly #owner: JournalOwner
  readonly #sent: Set<string>
  #pending: Pending | undefined
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #deltaLength = 0
  #isLost = false

  /** `sequence` is the number of the last event so far; `sent` are the messages of previous attempts. */
  constructor(stores: JournalStores, owner: JournalOwner, sequence: number, sent: Iterable<string>) {
    this.#stores = stores
    this.#owner = owner
    this.sequence = sequence
    this.#sent = new Set(sent)
  }

  event<Name extends RunEventName>(name: Name, fields: RunEventFields[Name]): void {
    if (this.#isLost) return
    const event = this.#next(name, fields)
    this.hub.publish(event)
    if (name === 'node.delta') {
      if (this.#deltaLength <= maxDeltaLength) this.#deltaLength += event.line.length
      if (this.#deltaLength > maxDeltaLength) return
    }
    this.#open().events.push(event)
    this.#writeSoon()
  }

  /** Whether the message was sent, by this attempt of the run or a previous one. */
  wasSent(messageId: string): boolean {
    return this.#sent.has(messageId)
  }

  /** Sends a message to the user. Calling it again with the same id has no effect. */
  sendMessage(message: RunMessage, nodeId: string): void {
    if (this.#sent.has(message.id)) return
    this.#sent.add(message.id)
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

  /** Resolves when the records, and all events before, survive a crash; undefined where nothing has to be awaited. */
  commit(steps: readonly StepRecord[], effects: readonly EffectRecord[] = []): Promise<void> | undefined {
    const pending = this.#open()
    pending.steps.push(...steps)
    pending.effects.push(...effects)
    this.#write()
    return pending.promise
  }

  /** The last entry: the run ended or waits. Its event is published after the commit, so a subscriber finds it stored. */
  async close<Name extends 'run.waiting' | 'run.finished'>(
    steps: readonly StepRecord[],
    run: RunPatch,
    name: Name,
    fields: RunEventFields[Name],
  ): Promise<void> {
    const last = this.#next(name, fields)
    const pending = this.#open()
    pending.events.push(last)
    pending.steps.push(...steps)
    pending.run = run
    this.#write()
    await pending.promise
    this.hub.publish(last)
  }

  /** Reports the messages that are not in the journal yet, for a listener that must have them before the end. */
  async reportMessages(): Promise<void> {
    // Messages that are being written come first; the end of one write may start the next.
    while (this.#writing) await this.#writing
    if (!this.#pending || this.#pending.messages.length === 0) return
    const reported = this.#report(this.#pending.messages)
    // Meanwhile nothing is written: the event of a message says that it was reported.
    this.#writing = reported.catch(() => {})
    await reported
  }

  async #report(messages: RunMessage[]): Promise<void> {
    try {
      for (; messages.length > 0; messages.shift())
        await this.#persist(() => this.#owner.messageSent(messages[0]!))
    } catch (error) {
      // One that can never be reported fails the run, but not its end.
      if (!isTemporary(error)) messages.shift()
      throw error
    } finally {
      this.#writing = undefined
    }
  }

  /** Fails when another process has the run; called before anything is reported to a listener. */
  async confirmLease(): Promise<void> {
    if (this.#isLost) throw leaseLost()
    if (this.#owner.isLeaseValid()) return
    await this.#commit({ steps: [], effects: [], events: undefined, run: undefined })
  }

  /** Resolves when everything so far is written, or cannot be. */
  async flush(): Promise<void> {
    if (this.#pending) this.#write()
    await this.#pending?.promise.catch(() => {})
    await this.#writing
  }

  /** Publishes and writes nothing from now on: the next lease holder continues from what is stored. */
  abandon(error: Error = new LeaseLost('The run was abandoned')): void {
    this.#isLost = true
    clearTimeout(this.#timer)
    this.#pending?.reject(error)
    this.#pending = undefined
  }

  #next<Name extends RunEventName>(name: Name, fields: RunEventFields[Name]): RunEvent {
    this.sequence += 1
    const at = this.#owner.clock.now()
    return runEvent(this.sequence, name, { runId: this.#owner.lease.runId, at, fields })
  }

  #open(): Pending {
    if (this.#pending) return this.#pending
    const settled = Promise.withResolvers<void>()
    // Where it holds only events, nothing waits for it.
    settled.promise.catch(() => {})
    this.#pending = { steps: [], effects: [], events: [], messages: [], run: undefined, ...settled }
    return this.#pending
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (!this.#pending) return
      const known = new Set(this.#pending.steps.map(({ path }) => path))
      this.#pending.steps.push(...this.#owner.newSteps().filter(({ path }) => !known.has(path)))
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
        // After any other error only this entry cannot be written, and the run fails with that error.
        if (error instanceof LeaseLost || isTemporary(error)) this.abandon(error)
        this.#owner.interrupt(error)
        pending.reject(error)
        this.#continue()
      },
    )
  }

  /** Writes what arrived during the last write: at once if something waits for it, otherwise after the usual delay. */
  #continue(): void {
    const next = this.#pending
    if (!next) return
    if (next.steps.length > 0 || next.effects.length > 0 || next.run) this.#write()
    else this.#writeSoon()
  }

  async #store(pending: Pending): Promise<void> {
    const { outputStore } = this.#stores
    const { workspaceId, runId } = this.#owner.lease
    if (this.#isLost) throw leaseLost()
    if (pending.messages.length > 0) await this.confirmLease()
    for (const message of pending.messages) await this.#persist(() => this.#owner.messageSent(message))
    const { steps, effects, run } = pending
    const put = (output: string): Promise<string> =>
      this.#persist(() => outputStore.put(workspaceId, runId, output))
    for (const step of steps) if (isLarge(step.outputs)) step.outputs = await put(step.outputs)
    for (const effect of effects) if (isLarge(effect.result)) effect.result = await put(effect.result)
    if (isLarge(run?.outputs)) run.outputs = await put(run.outputs)
    await this.#commit({ steps, effects, events: encode(pending.events), run })
  }

  async #commit(entry: JournalEntry): Promise<void> {
    const { store } = this.#stores
    const { lease } = this.#owner
    if (await this.#persist(() => store.commit(lease, entry))) return
    // The last commit releases the lease; if its answer was lost, the repeated one finds it released.
    const stored = entry.run && (await this.#persist(() => store.find(lease.workspaceId, lease.runId)))
    if (stored === undefined || stored.sequence !== entry.events?.last) throw leaseLost()
  }

  /** Only the database knows whether the lease is still held, so the write is repeated until it answers. */
  #persist<Result>(work: () => Promise<Result>): Promise<Result> {
    return retryTemporary(work, {
      giveUpMilliseconds: this.#stores.limits.storageMilliseconds,
      failed: (error, attempt) => {
        if (attempt === 1) this.#owner.writeDelayed(error)
        return !this.#isLost
      },
    })
  }
}

function encode(events: readonly RunEvent[]): EventBatch | undefined {
  if (events.length === 0) return undefined
  return {
    first: events[0]!.seq,
    last: events.at(-1)!.seq,
    lines: events.map(({ line }) => line).join('\n'),
  }
}
