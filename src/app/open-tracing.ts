import type { Config } from '../config/config.ts'
import { decodePercent } from '../kernel/decode-percent.ts'
import { pause } from '../kernel/pause.ts'
import { otlpBody } from '../tracing/otlp.ts'
import { SpanExporter } from '../tracing/span-exporter.ts'
import { Tracer } from '../tracing/tracer.ts'
import { programVersion } from './program-version.ts'

export interface Tracing {
  tracer: Tracer
  /** Spans by outcome since the start. */
  spans: { exported: number; dropped: number }
  close(): Promise<void>
}

const sendMilliseconds = 10_000
/** How long a shutdown waits for the collector. */
const closeMilliseconds = 2000
const transientStatuses = new Set([429, 502, 503, 504])

/** OTEL_EXPORTER_OTLP_HEADERS: `name=value` pairs with percent-encoding, separated by commas. */
const headersOf = (text = ''): Record<string, string> =>
  Object.fromEntries(
    text
      .split(',')
      .map(pair => {
        // The value may contain further ones, such as the end of Base64.
        const at = pair.indexOf('=')
        return [pair.slice(0, at), pair.slice(at + 1)].map(part => decodePercent(part.trim()))
      })
      .filter(([name]) => name !== ''),
  )

/** Exports traces to the collector of the settings by OTLP/HTTP. Loaded only where one is set. */
export async function openTracing(config: Config, endpoint: string): Promise<Tracing> {
  const { createEgress } = await import('../adapters/egress/create-egress.ts')
  const egress = createEgress({ allow: [] })
  const version = await programVersion()
  const resource = { 'service.name': config.otelServiceName, 'service.version': version }
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const headers = { ...headersOf(config.otelExporterOtlpHeaders), 'content-type': 'application/json' }
  const spans = { exported: 0, dropped: 0 }
  const exporter = new SpanExporter({
    send: async batch => {
      const { status, body } = await egress.request(url, {
        method: 'POST',
        headers,
        body: otlpBody(resource, version, batch),
        timeouts: { totalMilliseconds: sendMilliseconds },
        trusted: true,
      })
      body.resume()
      if (status >= 200 && status <= 299) return 'sent'
      return transientStatuses.has(status) ? 'try_again' : 'refused'
    },
    count: (outcome, count) => {
      spans[outcome] += count
    },
    ...{ maxQueue: 4096, maxBatch: 512, pauseMilliseconds: 2000, retryMilliseconds: 1000 },
  })
  const tracer = new Tracer({
    onEnd: span => exporter.add(span),
    ratio: config.otelTracesSamplerArg,
    capturesContent: config.otelInstrumentationGenaiCaptureMessageContent === 'true',
  })
  return {
    tracer,
    spans,
    close: async () => {
      await Promise.race([exporter.close(), pause(closeMilliseconds)])
      egress.close()
    },
  }
}
