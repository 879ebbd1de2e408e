import { ApiFailure } from '../../api/api-failure.ts'
import { type RunEvent, watchRun, withReply, withStatus } from './apply-run-event.ts'
import type { RunServer, StartRequest } from './run-server.ts'
import { emptyView, isSettled, type RunDetails, type RunView } from './run-view.ts'
import { viewOfDetails, withDetails } from './view-from-trace.ts'

export interface WatchState {
  /** Undefined if no run is watched. */
  readonly view: RunView | undefined
  /** The trace as last loaded. */
  readonly details: RunDetails | undefined
  /** `lost` means that the run may continue, but its state is unknown. */
  readonly connection: 'idle' | 'starting' | 'live' | 'reconnecting' | 'lost'
  readonly failure: unknown
  /** The approximate offset of this clock to the server's. */
  readonly clockOffset: number
}

const idle: WatchState = {
  view: undefined,
  details: undefined,
  connection: 'idle',
  failure: undefined,
  clockOffset: 0,
}

const maxAttempts = 7
const pauseBefore = (attempt: number): number => Math.min(8000, 250 * 2 ** attempt)
/** Text arrives in many small pieces; rendering more often is not visible. */
const notifyMilliseconds = 30

/** Rejected requests fail again; a broken connection or a restarting server may recover. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof ApiFailure) || error.reason === 'unreachable' || error.status >= 502

async function* notifyOnFirst(events: AsyncIterable<RunEvent>, notify: () => void): AsyncGenerator<RunEvent> {
  let isFirst = true
  for await (const event of events) {
    if (isFirst) notify()
    isFirst = false
    yield event
  }
}

/** Watches one run at a time. The run itself does not depend on it. */
export class RunWatch {
  readonly #server: RunServer
  readonly #listeners = new Set<() => void>()
  #state = idle
  #session = new AbortController()
  #isNotifying = false

  constructor(server: RunServer) {
    this.#server = server
  }

  readonly state = (): WatchState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /**
   * Starts a run and watches it to its end. `prepare` returns its input; if it fails, no run starts.
   * `onBegun` is called once the run exists.
   */
  async start(
    prepare: () => StartRequest | Promise<StartRequest>,
    onBegun: () => void = () => {},
  ): Promise<void> {
    const signal = this.#begin({ view: emptyView(), connection: 'starting' })
    let request: StartRequest
    try {
      request = await prepare()
    } catch (error) {
      if (!signal.aborted) this.#set({ view: undefined, connection: 'idle', failure: error })
      return
    }
    if (!signal.aborted)
      await this.#follow(signal, () => notifyOnFirst(this.#server.start(request, signal), onBegun))
  }

  /** Shows any run, and watches it if it is still running. */
  async open(runId: string): Promise<void> {
    const isSame = this.#state.view?.runId === runId
    const signal = this.#begin(isSame ? { ...this.#state, failure: undefined } : { connection: 'starting' })
    try {
      const details = await this.#server.details(runId, signal)
      if (signal.aborted) return
      this.#set({ details, view: viewOfDetails(details), connection: 'idle' })
      if (!isSettled(details.status)) await this.#follow(signal)
    } catch (error) {
      if (!signal.aborted) this.#set({ connection: 'idle', failure: error })
    }
  }

  /** Answers the question of a waiting run. */
  async reply(answer: string, files: readonly string[] = []): Promise<void> {
    const before = this.#state
    if (!before.view?.waiting) return
    const { runId } = before.view
    const view = withReply(before.view, answer)
    const signal = this.#begin({ ...before, view, connection: 'live', failure: undefined })
    const failure = await this.#follow(signal, () => this.#server.resume(runId, answer, files, signal))
    // Only the server knows whether the answer arrived.
    if (failure === undefined || signal.aborted) return
    await this.open(runId)
    if (this.#state.view?.status === 'waiting') this.#set({ failure })
  }

  /** Messages so far are kept. */
  async stop(): Promise<void> {
    const { view } = this.#state
    if (!view || view.runId === '') return
    const { status } = await this.#server.stop(view.runId)
    if (this.#state.view?.runId !== view.runId) return
    // A watched run reports its end itself.
    if (this.#state.connection === 'live') return
    this.#set({ view: withStatus(this.#state.view, status) })
    await this.loadDetails()
  }

  /** Loads the trace, which alone contains inputs and large outputs. */
  async loadDetails(): Promise<void> {
    const { signal } = this.#session
    const runId = this.#state.view?.runId
    if (!runId) return
    const details = await this.#server.details(runId, signal).catch(() => undefined)
    const { view } = this.#state
    if (details && view?.runId === runId) this.#set({ details, view: withDetails(view, details) })
  }

  /** Stops watching. */
  close(): void {
    this.#session.abort()
    this.#set(idle)
  }

  #begin(state: Partial<WatchState>): AbortSignal {
    this.#session.abort()
    this.#session = new AbortController()
    this.#set({ ...idle, ...state })
    return this.#session.signal
  }

  /**
   * Reads events until the run ends or waits. `begin` starts the stream; if it fails, it is retried while no
   * run is known, and its error is returned otherwise.
   */
  async #follow(signal: AbortSignal, begin?: () => AsyncIterable<RunEvent>): Promise<unknown> {
    const isNew = begin !== undefined && this.#state.view?.runId === ''
    let first = begin
    for (let attempt = 0; ; ) {
      try {
        for await (const event of first ? first() : this.#again(signal)) {
          if (signal.aborted) return undefined
          attempt = 0
          first = undefined
          this.#take(event)
        }
        if (signal.aborted) return undefined
        if (isSettled(this.#state.view!.status)) {
          await this.loadDetails()
          if (!signal.aborted) this.#set({ connection: 'idle' })
          return undefined
        }
      } catch (error) {
        if (signal.aborted) return undefined
        if (first && !isNew) return error
        if (!isPassing(error)) return void this.#fail(error)
        if (attempt + 1 >= maxAttempts) return void this.#fail(error, 'lost')
      }
      attempt += 1
      if (attempt >= maxAttempts) return void this.#set({ connection: 'lost' })
      this.#set({ connection: first ? 'starting' : 'reconnecting' })
      await this.#server.pause(pauseBefore(attempt), signal)
      if (signal.aborted) return undefined
    }
  }

  #again(signal: AbortSignal): AsyncIterable<RunEvent> {
    const { runId, lastEvent } = this.#state.view!
    // Without an event number the stream starts over, so the view is reset.
    if (lastEvent === 0) this.#set({ view: { ...emptyView(runId), status: 'running' } })
    return this.#server.events(runId, lastEvent, signal)
  }

  #take(event: RunEvent): void {
    const at = Date.parse(String(event.data['at']))
    const offset = Date.now() - at
    const isFirst = this.#state.clockOffset === 0
    this.#set({
      view: watchRun(this.#state.view!, event),
      connection: 'live',
      ...(!Number.isNaN(at) && (isFirst || offset < this.#state.clockOffset) && { clockOffset: offset }),
    })
  }

  #fail(failure: unknown, connection: WatchState['connection'] = 'idle'): void {
    const isBegun = this.#state.view?.runId !== ''
    this.#set({ connection: isBegun ? connection : 'idle', failure, ...(!isBegun && { view: undefined }) })
  }

  #set(change: Partial<WatchState>): void {
    this.#state = { ...this.#state, ...change }
    if (this.#isNotifying) return
    this.#isNotifying = true
    setTimeout(() => {
      this.#isNotifying = false
      for (const listener of this.#listeners) listener()
    }, notifyMilliseconds)
  }
}
