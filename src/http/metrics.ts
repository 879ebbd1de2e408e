/** Upper bounds in seconds; a request is counted in every bucket whose bound it does not exceed. */
const bounds = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60] as const

/** What is counted of one operation. Plain numbers: this happens at every request. */
class RouteMeasures {
  readonly buckets: number[] = Array.from(bounds, () => 0)
  readonly statuses = new Map<number, number>()
  count = 0
  seconds = 0

  add(status: number, seconds: number): void {
    this.count++
    this.seconds += seconds
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    let bucket = 0
    while (bucket < bounds.length && seconds > bounds[bucket]!) bucket++
    if (bucket < bounds.length) this.buckets[bucket]!++
  }
}

const head = (name: string, kind: 'counter' | 'gauge' | 'histogram', help: string): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${kind}`

const single = (name: string, kind: 'counter' | 'gauge', help: string, value: number): string =>
  `${head(name, kind, help)}\n${name} ${value}`

/** What the server measures of itself, in the Prometheus text format. */
export class Metrics {
  readonly #routes = new Map<string, RouteMeasures>()
  #loop = performance.eventLoopUtilization()

  forRoute(route: string): RouteMeasures {
    let measures = this.#routes.get(route)
    if (!measures) {
      measures = new RouteMeasures()
      this.#routes.set(route, measures)
    }
    return measures
  }

  print(): string {
    return `${[...this.#printRequests(), ...this.#printProcess()].join('\n')}\n`
  }

  #printRequests(): string[] {
    const lines = [
      head('banyan_http_requests_total', 'counter', 'Requests answered, by operation and status.'),
    ]
    for (const [route, { statuses }] of this.#routes)
      for (const [status, count] of statuses)
        lines.push(`banyan_http_requests_total{route="${route}",status="${status}"} ${count}`)
    const name = 'banyan_http_request_seconds'
    lines.push(head(name, 'histogram', 'Time from the head of a request to the end of its answer.'))
    for (const [route, measures] of this.#routes) {
      if (measures.count === 0) continue
      let sum = 0
      for (const [at, bound] of bounds.entries()) {
        sum += measures.buckets[at]!
        lines.push(`${name}_bucket{route="${route}",le="${bound}"} ${sum}`)
      }
      lines.push(`${name}_bucket{route="${route}",le="+Inf"} ${measures.count}`)
      lines.push(
        `${name}_sum{route="${route}"} ${measures.seconds}`,
        `${name}_count{route="${route}"} ${measures.count}`,
      )
    }
    return lines
  }

  #printProcess(): string[] {
    const memory = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    const loop = performance.eventLoopUtilization()
    const busy = performance.eventLoopUtilization(loop, this.#loop).utilization
    this.#loop = loop
    return [
      single('process_resident_memory_bytes', 'gauge', 'Memory that the process holds.', memory.rss),
      single('nodejs_heap_used_bytes', 'gauge', 'Memory in use by JavaScript objects.', memory.heapUsed),
      single('nodejs_external_memory_bytes', 'gauge', 'Memory in use by buffers.', memory.external),
      single('process_cpu_seconds_total', 'counter', 'Processor time used.', (user + system) / 1e6),
      single('process_uptime_seconds', 'gauge', 'Time since the start.', process.uptime()),
      single(
        'nodejs_event_loop_busy_ratio',
        'gauge',
        'Share of time that the main thread was busy since it was last read here.',
        busy,
      ),
    ]
  }
}
