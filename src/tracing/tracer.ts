import { AsyncLocalStorage } from 'node:async_hooks'
import { randomText } from '../kernel/random-text.ts'
import { type Attributes, errorType, Span, type SpanContext, type SpanKind } from './span.ts'

const traceParent = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})/

interface TracerOptions {
  /** Gets every span when it ends. */
  onEnd(span: Span): void
  /** Share of traces that begin here and are recorded, from 0 to 1. */
  ratio: number
  /** Whether prompts and answers of models are recorded. */
  capturesContent: boolean
}

interface SpanStart {
  name: string
  kind?: SpanKind
  attributes?: Attributes
}

/** Creates spans and knows the current one. There is no tracer where traces are not exported. */
export class Tracer {
  readonly capturesContent: boolean
  readonly #options: TracerOptions
  /** Null inside a trace that is not recorded: a new span there would be a trace without its beginning. */
  readonly #current = new AsyncLocalStorage<Span | null>()

  constructor(options: TracerOptions) {
    this.#options = options
    this.capturesContent = options.capturesContent
  }

  /** A span below the current one, or the first one of a trace; undefined if the trace is not recorded. */
  start({ name, kind = 'internal', attributes = {} }: SpanStart): Span | undefined {
    const parent = this.#current.getStore()
    if (parent) return this.#open(parent, name, kind).set(attributes)
    return parent === undefined && this.#isSampled()
      ? this.#open(undefined, name, kind).set(attributes)
      : undefined
  }

  /**
   * The span of a request. `header` is its traceparent: the span joins that trace, or is not recorded if the caller does
   * not record it. A new trace gets `traceId` if that is valid.
   */
  startRequest(header: unknown, traceId: string, start: SpanStart): Span | undefined {
    const sent = typeof header === 'string' ? traceParent.exec(header) : null
    const { name, attributes = {} } = start
    if (sent) {
      const isRecorded = (Number.parseInt(sent[3]!, 16) & 1) === 1
      const parent = { traceId: sent[1]!, spanId: sent[2]! }
      return isRecorded ? this.#open(parent, name, 'server').set(attributes) : undefined
    }
    if (!this.#isSampled()) return undefined
    const isValid = /^(?!0{32})[0-9a-f]{32}$/.test(traceId)
    return this.#open(undefined, name, 'server', isValid ? traceId : undefined).set(attributes)
  }

  /** Runs `work` with the span as the current one. Without a span nothing in it is recorded. */
  within<Result>(span: Span | undefined, work: () => Result): Result {
    return this.#current.run(span ?? null, work)
  }

  /** Runs `work` in a span, which ends with it. */
  async record<Result>(start: SpanStart, work: (span: Span | undefined) => Promise<Result>): Promise<Result> {
    const span = this.start(start)
    try {
      const result = await this.within(span, () => work(span))
      span?.end()
      return result
    } catch (error) {
      span?.end(errorType(error))
      throw error
    }
  }

  /** The header that continues the current trace in another program. */
  traceparent(): string | undefined {
    const span = this.#current.getStore()
    return span ? `00-${span.traceId}-${span.spanId}-01` : undefined
  }

  #open(
    parent: SpanContext | undefined,
    name: string,
    kind: SpanKind,
    traceId = randomText(16, 'hex'),
  ): Span {
    const ids = {
      traceId: parent?.traceId ?? traceId,
      spanId: randomText(8, 'hex'),
      parentId: parent?.spanId,
    }
    return new Span(ids, name, kind, this.#options.onEnd)
  }

  #isSampled(): boolean {
    return this.#options.ratio >= 1 || Math.random() < this.#options.ratio
  }
}
