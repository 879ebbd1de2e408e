import { pause } from '../kernel/pause.ts'
import type { Span } from './span.ts'

export interface ExporterParts {
  /** `try_again`: the collector cannot take them now. */
  send(spans: readonly Span[]): Promise<'sent' | 'refused' | 'try_again'>
  /** How many spans were exported, or dropped because the collector could not take them. */
  count(outcome: 'exported' | 'dropped', spans: number): void
  maxQueue: number
  maxBatch: number
  pauseMilliseconds: number
  retryMilliseconds: number
}

const maxAttempts = 4

/** Sends spans in batches. When the collector is slow or away, the queue stays bounded and further spans are dropped. */
export class SpanExporter {
  readonly #parts: ExporterParts
  #queue: Span[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #isClosed = false

  constructor(parts: ExporterParts) {
    this.#parts = parts
  }

  add(span: Span): void {
    const { maxQueue, maxBatch, pauseMilliseconds, count } = this.#parts
    if (this.#isClosed || this.#queue.length >= maxQueue) {
      count('dropped', 1)
      return
    }
    this.#queue.push(span)
    if (this.#queue.length >= maxBatch) this.#start()
    else this.#timer ??= setTimeout(() => this.#start(), pauseMilliseconds).unref()
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sending ??= this.#drain().finally(() => {
      this.#sending = undefined
    })
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, this.#parts.maxBatch)
      this.#parts.count((await this.#send(batch)) ? 'exported' : 'dropped', batch.length)
    }
  }

  async #send(batch: readonly Span[]): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#parts.send(batch).catch(() => 'try_again' as const)
      if (outcome !== 'try_again') return outcome === 'sent'
      if (attempt === maxAttempts || this.#isClosed) return false
      await pause(this.#parts.retryMilliseconds * 2 ** (attempt - 1))
    }
  }

  /** Sends what is left, once. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#queue.length > 0) this.#start()
    await this.#sending
  }
}
