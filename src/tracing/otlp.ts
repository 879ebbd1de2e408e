import { type Attributes, type AttributeValue, type Span, spanKinds } from './span.ts'

const otlpValue = (value: AttributeValue): object => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value !== 'number') return { arrayValue: { values: value.map(otlpValue) } }
  // In JSON, OTLP writes integers as text.
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

const attributesOf = (attributes: Attributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: otlpValue(value) }],
  )

/** What is written of a span; one of a stored run is not a live `Span`. */
export type FinishedSpan = Pick<
  Span,
  'traceId' | 'spanId' | 'parentId' | 'name' | 'kind' | 'startedAt' | 'endedAt' | 'attributes' | 'error'
>

const spanOf = (span: FinishedSpan): object => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentId !== undefined && { parentSpanId: span.parentId }),
  name: span.name,
  kind: spanKinds[span.kind],
  startTimeUnixNano: `${span.startedAt}000`,
  endTimeUnixNano: `${span.endedAt}000`,
  attributes: attributesOf(span.attributes),
  ...(span.error !== undefined && { status: { code: 2, message: span.error } }),
})

/** The body of an OTLP/HTTP request in JSON. */
export const otlpBody = (resource: Attributes, version: string, spans: readonly FinishedSpan[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'banyan', version }, spans: spans.map(spanOf) }],
      },
    ],
  })
