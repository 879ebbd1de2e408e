import type { Static } from 'typebox'
import type { runEventSchemas } from '../../contract/run-events.ts'
import { isoTime } from '../../kernel/clock.ts'
import type { MessageType } from '../step.ts'
import type { RunError } from './store/run-records.ts'
import type { RunStore } from './store/run-store.ts'

/** The events of a run and their fields. The reference documentation is generated from this table. */
export const runEventNames = {
  'run.started':
    'The run has started: `workflow_id`, `version`, `inputs`; with `skipped_version` when the newest version cannot run.',
  'node.started': 'A node has started: `node_id`, `kind`, `title`, `attempt`.',
  'node.delta':
    'A piece of text: `node_id`, `text`; with `message_id` when it is part of a message to the user. With `reset` true, the text of this node so far is discarded.',
  'node.progress': 'A node is at work: `node_id`, `progress`, and if known `total` and `message`.',
  'node.tool':
    'A node calls a tool: `node_id`, `call` (names the call within the node), `tool`, `status` (running, done or failed), and `arguments` with the first event, `result` and `elapsed_ms` with the last one.',
  'node.finished':
    'A node has finished: `node_id`, `status`, `outputs` (omitted when large), `elapsed_ms`, `usage`.',
  'node.failed': 'An attempt of a node failed: `node_id`, `reason`, `message`, `attempt`, `will_retry`.',
  'node.skipped': 'A node was skipped: `node_id`, `kind`, `title`.',
  message:
    'A complete message to the user: `message_id`, `node_id`, `data_type`, `content`, `file_list`, `timestamp`.',
  'run.waiting': 'The run asks the user: `node_id`, `question`, `options`, `usage` (of the run so far).',
  'run.finished': 'The run has ended: `status`, `answer`, `outputs`, `usage`, `elapsed_ms`, `error`.',
  error: 'Why the run failed: `reason`, `message`, `node_id`.',
} as const

export type RunEventName = keyof typeof runEventNames

/** A value of the contract, which the engine does not change. */
type Fixed<Value> = Value extends (infer Item)[] ? readonly Item[] : Value

type FieldsOf<Event> = {
  [Name in keyof Event as Exclude<Name, keyof WireEvent>]: Fixed<Event[Name]>
}

/** The fields of each event under their wire names. */
export type RunEventFields = { [Name in RunEventName]: FieldsOf<Static<(typeof runEventSchemas)[Name]>> } & {
  message: { data_type: MessageType }
}

interface WireEvent {
  run_id: string
  seq: number
  event: string
  at: string
}

interface Emitted<Name extends RunEventName> {
  runId: string
  at: number
  fields: RunEventFields[Name]
}

/** Fields where it is emitted, a JSON line in the journal and responses; each form is derived once, when it is needed. */
class EventOf<Name extends RunEventName> {
  readonly seq: number
  readonly event: Name
  #emitted: Emitted<Name> | undefined
  #line: string | undefined

  /** `source` is what was emitted, or its line in the journal. */
  constructor(seq: number, event: Name, source: Emitted<Name> | string) {
    this.seq = seq
    this.event = event
    if (typeof source === 'string') this.#line = source
    else this.#emitted = source
  }

  /** The JSON that is sent and stored: `run_id`, `seq`, `event`, `at`, then the fields of the event. */
  get line(): string {
    if (this.#line === undefined) {
      const { runId, at, fields } = this.#emitted!
      this.#line = JSON.stringify({
        run_id: runId,
        seq: this.seq,
        event: this.event,
        at: isoTime(at),
        ...fields,
      })
    }
    return this.#line
  }

  get fields(): RunEventFields[Name] {
    return this.#decode().fields
  }

  /** When it was emitted, in milliseconds. */
  get at(): number {
    return this.#decode().at
  }

  #decode(): Emitted<Name> {
    if (!this.#emitted) {
      const { run_id: runId, seq: _, event: __, at, ...fields } = JSON.parse(this.#line!) as WireEvent
      this.#emitted = { runId, at: Date.parse(at), fields: fields as unknown as RunEventFields[Name] }
    }
    return this.#emitted
  }
}

/** A union: check `event` to narrow it. */
export type RunEvent = { [Name in RunEventName]: EventOf<Name> }[RunEventName]

export const runEvent = <Name extends RunEventName>(
  seq: number,
  name: Name,
  emitted: Emitted<Name>,
): RunEvent => new EventOf(seq, name, emitted) as RunEvent

/** The fields that `line` always begins with, so that most events are never parsed in full. */
const lineHead = /^\{"run_id":"[^"]*","seq":(\d+),"event":"([^"]+)"/

/** The events of a batch of the journal, one per line. */
export function* decodeEvents(lines: string): Generator<RunEvent> {
  for (const line of lines.split('\n')) {
    const [, seq, name] = lineHead.exec(line) ?? []
    if (name !== undefined) yield new EventOf(Number(seq), name as RunEventName, line) as RunEvent
  }
}

const batchesPerRead = 50

/** The stored events of a run after a number. */
export async function* readEvents(
  store: Pick<RunStore, 'events'>,
  workspaceId: string,
  runId: string,
  after: number,
  signal?: AbortSignal,
): AsyncGenerator<RunEvent> {
  let last = after
  while (!signal?.aborted) {
    const batches = await store.events(workspaceId, runId, last, batchesPerRead)
    for (const batch of batches) {
      for (const event of decodeEvents(batch.lines)) if (event.seq > after) yield event
      last = batch.last
    }
    if (batches.length < batchesPerRead) return
  }
}

export const usageOnWire = (spent: { promptTokens: number; completionTokens: number }) => ({
  prompt_tokens: spent.promptTokens,
  completion_tokens: spent.completionTokens,
  total_tokens: spent.promptTokens + spent.completionTokens,
})

/** An error in an event. It has no `node_id` if no node caused it, unlike in a record, where `node_id` is null. */
export const eventError = ({ reason, message, step }: RunError): RunEventFields['error'] => ({
  reason,
  message,
  ...(step !== undefined && { node_id: step }),
})

/** Events that wait for a subscriber; beyond this it has to read the journal. */
const maxQueued = 4096

/** A subscription to a run in this process. It never slows the run down: a slow subscriber loses it. */
export class EventFeed implements AsyncIterable<RunEvent> {
  #queue: RunEvent[] = []
  #wake: (() => void) | undefined
  #isOver = false
  /** Set when events were dropped because the subscriber is too slow. */
  isBehind = false
  readonly close: () => void

  constructor(unsubscribe: () => void) {
    this.close = unsubscribe
  }

  push(event: RunEvent): void {
    if (this.isBehind) return
    if (this.#queue.length >= maxQueued) this.isBehind = true
    else this.#queue.push(event)
    this.#wake?.()
  }

  end(): void {
    this.#isOver = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent> {
    try {
      for (;;) {
        while (this.#queue.length > 0) {
          const events = this.#queue
          this.#queue = []
          for (const event of events) yield event
        }
        if (this.isBehind || this.#isOver) return
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#wake = resolve
        await promise
      }
    } finally {
      this.close()
    }
  }
}

/** Passes the events of one run to all subscribers in this process. */
export class EventHub {
  readonly #feeds = new Set<EventFeed>()
  #isOver = false

  publish(event: RunEvent): void {
    for (const feed of this.#feeds) feed.push(event)
  }

  /** Events from now on: the subscription starts here and not with the first read. */
  subscribe(signal: AbortSignal): EventFeed {
    const feed: EventFeed = new EventFeed(() => {
      this.#feeds.delete(feed)
      signal.removeEventListener('abort', end)
    })
    const end = (): void => feed.end()
    if (this.#isOver || signal.aborted) feed.end()
    else {
      this.#feeds.add(feed)
      signal.addEventListener('abort', end, { once: true })
    }
    return feed
  }

  close(): void {
    this.#isOver = true
    for (const feed of this.#feeds) feed.end()
    this.#feeds.clear()
  }
}
