import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client'
import { HotCounter, HotHistogram } from './hot-metrics.ts'

const requestBuckets = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]
const workBuckets = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const windowMilliseconds = 10_000

export type ModelCall = 'chat' | 'embedding' | 'rerank' | 'transcription' | 'web_search'

/** Values that are read at a scrape, from the stores and drivers that know them. */
export interface MetricSources {
  queuedRuns(): Promise<number>
  queuedDocuments(): Promise<number>
  /** Undefined without a connection pool. */
  pool(): { size: number; idle: number; waiting: number } | undefined
}

/**
 * The metrics of the server in a registry of its own. Labels have few values: never ids, names of models or paths. A
 * scrape resets nothing, so that several Prometheus servers can scrape the same server.
 */
export class Metrics {
  readonly registry = new Registry()
  readonly #close: (() => void)[] = []
  #activeRuns = 0

  readonly #requests = this.#hot(
    new HotCounter({
      name: 'banyan_http_requests_total',
      help: 'Requests by operation and HTTP status.',
      labelNames: ['route', 'status'],
    }),
  )
  readonly #requestSeconds = this.#hot(
    new HotHistogram({
      name: 'banyan_http_request_seconds',
      help: 'Time from the headers of a request to the end of its response.',
      labelNames: ['route'],
      buckets: requestBuckets,
    }),
  )
  readonly #runsStarted = this.#hot(
    new HotCounter({
      name: 'banyan_runs_started_total',
      help: 'Runs that this server started, resumed or took over.',
      labelNames: ['trigger'],
    }),
  )
  readonly #runsFinished = this.#hot(
    new HotCounter({
      name: 'banyan_runs_finished_total',
      help: 'Runs that ended or began to wait on this server, by status.',
      labelNames: ['status'],
    }),
  )
  readonly #stepSeconds = this.#hot(
    new HotHistogram({
      name: 'banyan_step_seconds',
      help: 'Duration of step attempts by node kind and outcome (succeeded, failed).',
      labelNames: ['kind', 'outcome'],
      buckets: workBuckets,
    }),
  )
  readonly #documentSeconds = new Histogram({
    name: 'banyan_ingestion_seconds',
    help: 'Duration of document ingestion by outcome (ready, failed, retried).',
    labelNames: ['outcome'],
    buckets: workBuckets,
    registers: [this.registry],
  })
  readonly #chunks = new Counter({
    name: 'banyan_ingestion_chunks_total',
    help: 'Chunks of documents that became ready.',
    registers: [this.registry],
  })
  readonly #modelSeconds = new Histogram({
    name: 'banyan_model_call_seconds',
    help: 'Duration of calls to providers by call (chat, embedding, rerank, transcription, web_search) and outcome (succeeded, failed).',
    labelNames: ['call', 'outcome'],
    buckets: workBuckets,
    registers: [this.registry],
  })
  readonly #tokens = new Counter({
    name: 'banyan_model_tokens_total',
    help: 'Tokens that chat models reported, by type (prompt, completion).',
    labelNames: ['type'],
    registers: [this.registry],
  })

  constructor(sources?: MetricSources) {
    this.#gauge('banyan_runs_active', 'Runs in progress on this server.', () => this.#activeRuns)
    this.#addProcess()
    this.#addEventLoop()
    if (sources) this.#addSources(sources)
  }

  /** The Prometheus text format. */
  text(): Promise<string> {
    return this.registry.metrics()
  }

  close(): void {
    for (const close of this.#close) close()
  }

  request(operation: string, status: number, seconds: number): void {
    this.#requests.inc(operation, status)
    this.#requestSeconds.observe(seconds, operation)
  }

  runStarted(trigger: string): void {
    this.#runsStarted.inc(trigger)
    this.#activeRuns++
  }

  /** `status` is undefined for a run that another server continues. */
  runEnded(status: string | undefined): void {
    if (status !== undefined) this.#runsFinished.inc(status)
    this.#activeRuns--
  }

  step(kind: string, outcome: 'succeeded' | 'failed', seconds: number): void {
    this.#stepSeconds.observe(seconds, kind, outcome)
  }

  document(outcome: 'ready' | 'failed' | 'retried', seconds: number, chunks: number): void {
    this.#documentSeconds.observe({ outcome }, seconds)
    this.#chunks.inc(chunks)
  }

  modelCall(call: ModelCall, outcome: 'succeeded' | 'failed', seconds: number): void {
    this.#modelSeconds.observe({ call, outcome }, seconds)
  }

  modelTokens(prompt: number, completion: number): void {
    this.#tokens.inc({ type: 'prompt' }, prompt)
    this.#tokens.inc({ type: 'completion' }, completion)
  }

  #hot<Hot extends HotCounter | HotHistogram>(metric: Hot): Hot {
    this.registry.registerMetric(metric as unknown as Metric)
    return metric
  }

  #gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        const value = await read()
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  }

  #addSources(sources: MetricSources): void {
    this.#gauge('banyan_runs_queued', 'Runs in the queue of all servers that are due.', () =>
      sources.queuedRuns(),
    )
    this.#gauge('banyan_ingestion_queued', 'Ingestion jobs in the queue of all servers that are due.', () =>
      sources.queuedDocuments(),
    )
    if (!sources.pool()) return
    for (const state of ['size', 'idle', 'waiting'] as const)
      this.#gauge(
        `banyan_database_pool_${state}`,
        `PostgreSQL connection pool: ${{ size: 'open connections', idle: 'idle connections', waiting: 'requests that wait for a connection' }[state]}.`,
        () => sources.pool()?.[state],
      )
  }

  #addProcess(): void {
    const memory = (read: (usage: NodeJS.MemoryUsage) => number) => () => read(process.memoryUsage())
    this.#gauge(
      'process_resident_memory_bytes',
      'Resident memory of the process.',
      memory(usage => usage.rss),
    )
    this.#gauge(
      'nodejs_heap_used_bytes',
      'Memory of JavaScript objects.',
      memory(usage => usage.heapUsed),
    )
    this.#gauge(
      'nodejs_external_memory_bytes',
      'Memory of buffers.',
      memory(usage => usage.external),
    )
    this.#gauge('process_uptime_seconds', 'Time since the process started.', () => process.uptime())
    new Counter({
      name: 'process_cpu_seconds_total',
      help: 'CPU time of the process, user and system.',
      registers: [this.registry],
      collect() {
        const { user, system } = process.cpuUsage()
        this.reset()
        this.inc((user + system) / 1e6)
      },
    })
    const pauses = new Histogram({
      name: 'nodejs_gc_duration_seconds',
      help: 'Duration of garbage collections.',
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1],
      registers: [this.registry],
    })
    const observer = new PerformanceObserver(list => {
      for (const { duration } of list.getEntries()) pauses.observe(duration / 1000)
    })
    observer.observe({ entryTypes: ['gc'] })
    this.#close.push(() => observer.disconnect())
  }

  /** Busy ratio and delay over fixed windows of ten seconds, which do not depend on when they are scraped. */
  #addEventLoop(): void {
    const delay = monitorEventLoopDelay({ resolution: 20 })
    delay.enable()
    let since = performance.eventLoopUtilization()
    const read = () => ({
      busy: performance.eventLoopUtilization(since).utilization,
      delays: { 0.5: delay.percentile(50), 0.99: delay.percentile(99), 1: delay.max },
    })
    let window: ReturnType<typeof read> | undefined
    const timer = setInterval(() => {
      window = read()
      since = performance.eventLoopUtilization()
      delay.reset()
    }, windowMilliseconds).unref()
    this.#close.push(() => {
      clearInterval(timer)
      delay.disable()
    })
    this.#gauge(
      'nodejs_event_loop_busy_ratio',
      'Share of time that the main thread was busy, in windows of ten seconds.',
      () => (window ?? read()).busy,
    )
    new Gauge({
      name: 'nodejs_event_loop_delay_seconds',
      help: 'Delay of the event loop in windows of ten seconds: median, 99th percentile and maximum.',
      labelNames: ['quantile'],
      registers: [this.registry],
      collect() {
        for (const [quantile, nanoseconds] of Object.entries((window ?? read()).delays))
          this.set({ quantile }, nanoseconds / 1e9)
      },
    })
  }
}

/** Every metric, for the reference. */
export function describeMetrics(): { name: string; type: string; help: string; labels: readonly string[] }[] {
  const none = async (): Promise<number> => 0
  const metrics = new Metrics({
    queuedRuns: none,
    queuedDocuments: none,
    pool: () => ({ size: 0, idle: 0, waiting: 0 }),
  })
  metrics.close()
  type Described = { name: string; help: string; type: string; labelNames: readonly string[] }
  const described = metrics.registry.getMetricsAsArray() as unknown as Described[]
  return described
    .map(({ name, type, help, labelNames }) => ({ name, type, help, labels: labelNames }))
    .sort((one, other) => one.name.localeCompare(other.name))
}
