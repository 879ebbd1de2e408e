import { type Cluster, maxMessageBytes } from '../../cluster/cluster.ts'
import { groupsOf } from '../../kernel/groups-of.ts'
import { unlessAborted } from '../../kernel/unless-aborted.ts'
import { decodeEvents, type RunEvent } from './run-event.ts'
import type { RunTask } from './run-task.ts'
import { isActive, type RunKey } from './store/run-records.ts'
import type { RunStore } from './store/run-store.ts'

/** Run ids as JSON, from a process that wants the events of these runs. It repeats this while it watches them. */
const watchTopic = 'runs.watch'
/** A run id: a process missed events of this run. */
const syncTopic = 'runs.sync'
/** A run id and its new events, one per line. Without events: the journal has new ones. */
const eventsTopic = 'runs.events'

/** How long events are collected before they are sent. */
const collectMilliseconds = 10
/** How often watched runs are polled, all in one query, while messages arrive (`connected`) and while they do not. */
const pollMilliseconds = { connected: 1000, alone: 250 }
const watchedMilliseconds = 5000
/** Events that wait for a slow reader; beyond this it reads the journal. */
const maxQueued = 4096
const idsPerMessage = 100

type RelayParts = { store: RunStore; cluster: Pick<Cluster, 'publish' | 'subscribe' | 'isConnected'> }

/**
 * Carries the events of runs between processes: from the one that works on a run to those whose clients subscribe to it.
 * Nothing is sent while no other process watches. A message may get lost; the journal has everything.
 */
export class RunRelay {
  readonly #parts: RelayParts
  readonly #find: (runId: string) => RunTask | undefined
  readonly #watches = new Map<string, Set<RunWatch>>()
  /** By run id: when sending ends unless a watcher asks again, and the controller that ends it. */
  readonly #sent = new Map<string, { until: number; stop: AbortController }>()
  #poll: NodeJS.Timeout | undefined

  constructor(parts: RelayParts, find: (runId: string) => RunTask | undefined) {
    this.#parts = parts
    this.#find = find
    const { cluster } = parts
    cluster.subscribe(watchTopic, message => {
      for (const runId of JSON.parse(message) as string[]) this.#send(runId)
    })
    cluster.subscribe(syncTopic, runId => {
      const task = this.#find(runId)
      if (task) void this.#store(task)
    })
    cluster.subscribe(eventsTopic, message => {
      const [runId = ''] = message.split('\n', 1)
      for (const watch of this.#watches.get(runId) ?? []) watch.receive(message.slice(runId.length + 1))
    })
  }

  /** Watches a run that another process works on, until the watch is closed. */
  watch(workspaceId: string, runId: string): RunWatch {
    const watches = this.#watches.get(runId) ?? new Set()
    this.#watches.set(runId, watches)
    const watch: RunWatch = new RunWatch(
      { workspaceId, runId },
      () => this.#parts.cluster.publish(syncTopic, runId),
      () => {
        watches.delete(watch)
        if (watches.size === 0 && this.#watches.get(runId) === watches) this.#watches.delete(runId)
      },
    )
    watches.add(watch)
    this.#parts.cluster.publish(watchTopic, JSON.stringify([runId]))
    this.#pollSoon()
    return watch
  }

  #pollSoon(): void {
    const { connected, alone } = pollMilliseconds
    this.#poll ??= setTimeout(
      () => {
        this.#pollWatched()
          .catch(() => {})
          .finally(() => {
            this.#poll = undefined
            if (this.#watches.size > 0) this.#pollSoon()
          })
      },
      this.#parts.cluster.isConnected ? connected : alone,
    ).unref()
  }

  async #pollWatched(): Promise<void> {
    const { store, cluster } = this.#parts
    for (const ids of groupsOf([...this.#watches.keys()], idsPerMessage))
      cluster.publish(watchTopic, JSON.stringify(ids))
    const keys = [...this.#watches.values()].flatMap(([watch]) => watch?.key ?? [])
    const states = new Map((await store.states(keys)).map(state => [state.id, state]))
    for (const [runId, watches] of this.#watches)
      for (const watch of watches) {
        const state = states.get(runId)
        if (!state || !isActive(state.status) || state.sequence > watch.seen) watch.miss()
      }
  }

  /** Completes the journal of a run, so that watchers can read the rest of its events there. */
  async #store(task: RunTask): Promise<void> {
    await task.flush()
    this.#stored(task.runId)
  }

  #stored(runId: string): void {
    this.#parts.cluster.publish(eventsTopic, `${runId}\n`)
  }

  /** Sends the events of a run from now on, if this process works on it. */
  #send(runId: string): void {
    const until = performance.now() + watchedMilliseconds
    const sent = this.#sent.get(runId)
    if (sent) sent.until = until
    const task = this.#find(runId)
    if (sent || !task) return
    const stop = new AbortController()
    this.#sent.set(runId, { until, stop })
    const expiry = setInterval(() => {
      if (performance.now() > this.#sent.get(runId)!.until) stop.abort()
    }, watchedMilliseconds).unref()
    void this.#sendAll(task, stop.signal).then(() => {
      clearInterval(expiry)
      this.#sent.delete(runId)
      this.#stored(runId)
    })
  }

  async #sendAll(task: RunTask, signal: AbortSignal): Promise<void> {
    const feed = task.events(signal)
    await this.#store(task)
    let lines: string[] = []
    let timer: NodeJS.Timeout | undefined
    const sendLines = (): void => {
      clearTimeout(timer)
      timer = undefined
      for (const message of messagesOf(task.runId, lines)) {
        if (message !== undefined) this.#parts.cluster.publish(eventsTopic, message)
        else void this.#store(task)
      }
      lines = []
    }
    for await (const { line } of feed) {
      lines.push(line)
      timer ??= setTimeout(sendLines, collectMilliseconds)
    }
    sendLines()
  }
}

/** Groups events into messages; yields undefined for an event that is too large for a message. */
function* messagesOf(runId: string, lines: readonly string[]): Generator<string | undefined> {
  let message = runId
  let bytes = runId.length
  for (const line of lines) {
    const size = Buffer.byteLength(line) + 1
    if (message !== runId && bytes + size > maxMessageBytes) {
      yield message
      message = runId
      bytes = runId.length
    }
    if (bytes + size > maxMessageBytes) yield undefined
    else {
      message += `\n${line}`
      bytes += size
    }
  }
  if (message !== runId) yield message
}

/** The events that one subscriber in this process receives of a run in another process. */
export class RunWatch {
  readonly key: RunKey
  readonly close: () => void
  /** The number of the last event that the subscriber has, or is about to get. */
  seen = 0
  readonly #sync: () => void
  #events: RunEvent[] = []
  #mustRead = false
  #isSyncing = false
  #wake: () => void = () => {}

  constructor(key: RunKey, sync: () => void, close: () => void) {
    this.key = key
    this.#sync = sync
    this.close = close
  }

  receive(lines: string): void {
    if (lines === '' || this.#events.length > maxQueued) {
      this.miss()
      return
    }
    if (this.#isSyncing) return
    for (const event of decodeEvents(lines)) this.#events.push(event)
    this.seen = Math.max(this.seen, this.#events.at(-1)!.seq)
    this.#wake()
  }

  /** The subscriber has to read the journal: it has more events, or the run has ended. */
  miss(): void {
    this.#mustRead = true
    this.#isSyncing = false
    this.#events = []
    this.#wake()
  }

  /** The events after that number without a gap. Ends when the journal has to be read. */
  async *after(number: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
    let last = number
    this.seen = Math.max(last, this.#events.at(-1)?.seq ?? 0)
    for (let events = await this.next(signal); events.length > 0; events = await this.next(signal))
      for (const event of events) {
        if (event.seq <= last) continue
        if (event.seq > last + 1) {
          this.#resync(last)
          break
        }
        last = event.seq
        yield event
      }
  }

  /** Events after that number were missed: asks the other process to complete the journal. */
  #resync(last: number): void {
    this.#isSyncing = true
    this.#events = []
    this.seen = last
    this.#sync()
  }

  /** The next events; none when the journal has to be read first. */
  async next(signal: AbortSignal): Promise<RunEvent[]> {
    while (!this.#mustRead && this.#events.length === 0 && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await unlessAborted(promise, signal).catch(() => {})
    }
    const events = this.#mustRead ? [] : this.#events
    if (!this.#mustRead) this.#events = []
    this.#mustRead = false
    return events
  }
}
