import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

interface RouteMeasures {
  count(status: number): void
  time(seconds: number): void
}

/** What the server measures of itself, in the Prometheus text format. */
export class Metrics {
  readonly registry = new Registry()
  readonly #requests: Counter<'route' | 'status'>
  readonly #seconds: Histogram<'route'>

  constructor() {
    collectDefaultMetrics({ register: this.registry })
    this.#requests = new Counter({
      name: 'banyan_http_requests_total',
      help: 'Requests answered, by operation and status.',
      labelNames: ['route', 'status'],
      registers: [this.registry],
    })
    this.#seconds = new Histogram({
      name: 'banyan_http_request_seconds',
      help: 'Time from the first byte of a request to the end of its answer.',
      labelNames: ['route'],
      buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
      registers: [this.registry],
    })
  }

  /** Looks the labels up once per route instead of once per request. */
  forRoute(route: string): RouteMeasures {
    const histogram = this.#seconds.labels({ route })
    const byStatus = new Map<number, Counter.Internal>()
    return {
      time: seconds => histogram.observe(seconds),
      count: status => {
        let counter = byStatus.get(status)
        if (!counter) {
          counter = this.#requests.labels({ route, status: String(status) })
          byStatus.set(status, counter)
        }
        counter.inc()
      },
    }
  }
}
