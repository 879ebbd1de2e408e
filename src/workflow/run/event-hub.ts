import type { RunEvent } from './run-event.ts'

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

  /** The run has ended. */
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
