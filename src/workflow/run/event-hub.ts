import type { RunEvent } from './run-event.ts'

/** Events that a subscriber has not read yet; beyond this it has to read the journal. */
const maxQueued = 4096

/** A subscription to a run in this process. It never slows the run down: a slow subscriber loses it. */
export class EventFeed implements AsyncIterable<RunEvent> {
  #queue: RunEvent[] = []
  #next = 0
  #wake: (() => void) | undefined
  #isOver = false
  /** Set when events were dropped because the subscriber is too slow. */
  isBehind = false
  readonly #unsubscribe: (feed: EventFeed) => void

  constructor(unsubscribe: (feed: EventFeed) => void) {
    this.#unsubscribe = unsubscribe
  }

  push(event: RunEvent): void {
    if (this.isBehind) return
    if (this.#queue.length - this.#next >= maxQueued) this.isBehind = true
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
        while (this.#next < this.#queue.length) {
          const event = this.#queue[this.#next]!
          this.#next += 1
          if (this.#next === this.#queue.length) {
            this.#queue = []
            this.#next = 0
          }
          yield event
        }
        if (this.isBehind || this.#isOver) return
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
        this.#wake = undefined
      }
    } finally {
      this.close()
    }
  }

  close(): void {
    this.#unsubscribe(this)
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
    const feed = new EventFeed(each => {
      this.#feeds.delete(each)
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
