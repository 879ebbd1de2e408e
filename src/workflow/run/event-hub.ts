import type { RunEvent } from './run-event.ts'

/** Events that a listener has not taken yet; beyond this it has to read the journal. */
const mostKept = 4096

/** Who listens to a run in this process. It never holds back the run: who is too slow loses the thread. */
export class EventFeed implements AsyncIterable<RunEvent> {
  #kept: RunEvent[] = []
  #next = 0
  #wake: (() => void) | undefined
  #isOver = false
  /** Set when events were dropped since the listener is too slow. */
  isBehind = false
  readonly #leave: (feed: EventFeed) => void

  constructor(leave: (feed: EventFeed) => void) {
    this.#leave = leave
  }

  push(event: RunEvent): void {
    if (this.isBehind) return
    if (this.#kept.length - this.#next >= mostKept) this.isBehind = true
    else this.#kept.push(event)
    this.#wake?.()
  }

  close(): void {
    this.#isOver = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent> {
    try {
      for (;;) {
        while (this.#next < this.#kept.length) {
          const event = this.#kept[this.#next]!
          this.#next += 1
          if (this.#next === this.#kept.length) {
            this.#kept = []
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
      this.leave()
    }
  }

  /** Nobody listens any more. */
  leave(): void {
    this.#leave(this)
  }
}

/** Hands the events of one run to all who listen in this process. */
export class EventHub {
  readonly #feeds = new Set<EventFeed>()
  #isOver = false

  publish(event: RunEvent): void {
    for (const feed of this.#feeds) feed.push(event)
  }

  /** Events from now on. Listening begins right here and not with the first look. */
  listen(signal: AbortSignal): EventFeed {
    const feed = new EventFeed(each => {
      this.#feeds.delete(each)
      signal.removeEventListener('abort', close)
    })
    const close = (): void => feed.close()
    if (this.#isOver || signal.aborted) feed.close()
    else {
      this.#feeds.add(feed)
      signal.addEventListener('abort', close, { once: true })
    }
    return feed
  }

  close(): void {
    this.#isOver = true
    for (const feed of this.#feeds) feed.close()
    this.#feeds.clear()
  }
}
