export type AttributeValue = string | number | boolean | readonly string[]
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>

/** The numbers that OTLP defines. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const
export type SpanKind = keyof typeof spanKinds

/** The ids of a span, in this or another process, that its children refer to. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
}

/** Microseconds since 1970. Setting the clock does not affect them while the process runs. */
const now = (): number => Math.round((performance.timeOrigin + performance.now()) * 1000)

/** A piece of work in a trace. It is exported when it ends. */
export class Span implements SpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  readonly kind: SpanKind
  readonly startedAt = now()
  name: string
  endedAt = 0
  error: string | undefined
  readonly attributes: Record<string, AttributeValue> = {}
  readonly #onEnd: (span: Span) => void

  constructor(
    { traceId, parentId, spanId }: SpanContext & { parentId: string | undefined },
    name: string,
    kind: SpanKind,
    onEnd: (span: Span) => void,
  ) {
    this.traceId = traceId
    this.spanId = spanId
    this.parentId = parentId
    this.name = name
    this.kind = kind
    this.#onEnd = onEnd
  }

  set(attributes: Attributes): this {
    for (const name in attributes) {
      const value = attributes[name]
      if (value !== undefined) this.attributes[name] = value
    }
    return this
  }

  /** `error` is the type of the failure, never its message: that may quote what a user wrote. */
  end(error?: string): void {
    if (this.endedAt > 0) return
    this.endedAt = now()
    this.error = error
    if (error !== undefined) this.attributes['error.type'] = error
    this.#onEnd(this)
  }
}

/** The type of a failure for `error.type`: the reason or kind of our own errors, else the name of the class. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { reason, kind } = error as Error & { reason?: unknown; kind?: unknown }
  return typeof reason === 'string' ? reason : typeof kind === 'string' ? kind : error.name
}
