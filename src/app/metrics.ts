import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks'
import { Counter, Gauge, type Metric, Registry } from 'prom-client'
import type { IngestOutcome } from '../knowledge/ingest/ingestor.ts'
import type { FetchOutcome } from '../knowledge/web/web-page-worker.ts'
import { HotMetric } from './hot-metrics.ts'

const requestBuckets = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]
const workBuckets = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const pauseBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1]
const windowMilliseconds = 10_000

const poolStates = [
  ['size', 'open connections'],
  ['idle', 'idle connections'],
  ['waiting', 'requests that wait for a connection'],
] as const

type Read = () => number | undefined | Promise<number | undefined>
const processGauges: readonly [name: string, help: string, read: Read][] = [
  ['process_resident_memory_bytes', 'Resident memory of the process.', () => process.memoryUsage.rss()],
  ['nodejs_heap_used_bytes', 'Memory of JavaScript objects.', () => process.memoryUsage().heapUsed],
  ['nodejs_external_memory_bytes', 'Memory of buffers.', () => process.memoryUsage().external],
  ['process_uptime_seconds', 'Time since the process started.', () => process.uptime()],
]

export type ModelCall = 'chat' | 'embedding' | 'rerank' | 'transcription' | 'speech' | 'web_search'

/** Gauges that are read at a scrape, from the stores that know their values. */
const sourceGauges = {
  queuedRuns: ['banyan_runs_queued', 'Runs in the queue of all servers that are due.'],
  queuedDocuments: ['banyan_ingestion_queued', 'Ingestion jobs in the queue of all servers that are due.'],
  runQueueAge: [
    'banyan_runs_queue_age_seconds',
    'How long the oldest due run has been waiting, in the queue of all servers.',
  ],
  documentQueueAge: [
    'banyan_ingestion_queue_age_seconds',
    'How long the oldest due ingestion job has been waiting, in the queue of all servers.',
  ],
  activeDocuments: [
    'banyan_ingestion_active',
    'Ingestion jobs in progress on this server, each with a lease.',
  ],
  damagedFiles: [
    'banyan_files_damaged',
    'Stored file contents that the last check found missing or damaged.',
  ],
  replicas: ['banyan_replicas', 'Live servers, including this one.'],
} as const
const sourceNames = Object.keys(sourceGauges) as (keyof typeof sourceGauges)[]

interface MetricSources extends Record<keyof typeof sourceGauges, () => number | Promise<number>> {
  /** Undefined without a connection pool. */
  pool(): { size: number; idle: number; waiting: number } | undefined
  /** Undefined where traces are not exported. */
  spans(): { exported: number; dropped: number } | undefined
}

/** Labels have few values: never ids, names of models or paths. A scrape resets nothing, so several servers can scrape. */
export class Metrics {
  readonly registry = new Registry()
  readonly #close: (() => void)[] = []
  #activeRuns = 0

  readonly #requests = this.#metric('banyan_http_requests_total', 'Requests by operation and HTTP status.', [
    'route',
    'status',
  ])
  readonly #requestSeconds = this.#metric(
    'banyan_http_request_seconds',
    'Time from the headers of a request to the end of its response.',
    ['route'],
    requestBuckets,
  )
  readonly #runsStarted = this.#metric(
    'banyan_runs_started_total',
    'Runs that this server started, resumed or took over.',
    ['trigger'],
  )
  readonly #runsFinished = this.#metric(
    'banyan_runs_finished_total',
    'Runs that ended or began to wait on this server, by status.',
    ['status'],
  )
  readonly #runsTakenOver = this.#metric(
    'banyan_runs_taken_over_total',
    'Runs that this server continued because their lease on another server, or from before a restart, had expired.',
    [],
  )
  readonly #runsGivenUp = this.#metric(
    'banyan_runs_given_up_total',
    'Runs that this server gave up before they ended, because it lost their lease or stopped; another server continues them.',
    [],
  )
  readonly #stepSeconds = this.#metric(
    'banyan_step_seconds',
    'Duration of step attempts by node kind and outcome (succeeded, failed).',
    ['kind', 'outcome'],
    workBuckets,
  )
  readonly #documentSeconds = this.#metric(
    'banyan_ingestion_seconds',
    'Duration of document ingestion by outcome (ready, failed, retried, lost with its lease).',
    ['outcome'],
    workBuckets,
  )
  readonly #webPageSeconds = this.#metric(
    'banyan_web_page_seconds',
    'Duration of fetching web pages and site maps by outcome (changed, unchanged, failed, retried, lost with its lease).',
    ['outcome'],
    workBuckets,
  )
  readonly #chunks = this.#metric(
    'banyan_ingestion_chunks_total',
    'Chunks of documents that became ready.',
    [],
  )
  readonly #modelSeconds = this.#metric(
    'banyan_model_call_seconds',
    'Duration of calls to providers by call (chat, embedding, rerank, transcription, web_search) and outcome (succeeded, failed).',
    ['call', 'outcome'],
    workBuckets,
  )
  readonly #tokens = this.#metric(
    'banyan_model_tokens_total',
    'Tokens that chat models reported, by type (prompt, completion).',
    ['type'],
  )

  readonly #s3Seconds = this.#metric(
    'banyan_s3_request_seconds',
    'Duration of requests to the S3 store by operation and outcome (succeeded, failed); of a download until it begins.',
    ['operation', 'outcome'],
    workBuckets,
  )

  constructor(sources?: MetricSources) {
    this.#gauge(
      'banyan_runs_active',
      'Runs in progress on this server, each with a lease.',
      () => this.#activeRuns,
    )
    this.#addProcess()
    this.#addEventLoop()
    if (sources) this.#addSources(sources)
  }

  text(): Promise<string> {
    return this.registry.metrics()
  }

  close(): void {
    for (const close of this.#close) close()
  }

  request(operation: string, status: number, seconds: number): void {
    this.#requests.add(1, operation, status)
    this.#requestSeconds.add(seconds, operation)
  }

  runStarted(trigger: string, isTakenOver: boolean): void {
    this.#runsStarted.add(1, trigger)
    if (isTakenOver) this.#runsTakenOver.add(1)
    this.#activeRuns++
  }

  /** `status` is undefined for a run that another server continues. */
  runEnded(status: string | undefined): void {
    if (status !== undefined) this.#runsFinished.add(1, status)
    else this.#runsGivenUp.add(1)
    this.#activeRuns--
  }

  step(kind: string, outcome: 'succeeded' | 'failed', seconds: number): void {
    this.#stepSeconds.add(seconds, kind, outcome)
  }

  document(outcome: IngestOutcome, seconds: number, chunks: number): void {
    this.#documentSeconds.add(seconds, outcome)
    this.#chunks.add(chunks)
  }

  webPage(outcome: FetchOutcome, seconds: number): void {
    this.#webPageSeconds.add(seconds, outcome)
  }

  modelCall(call: ModelCall, outcome: 'succeeded' | 'failed', seconds: number): void {
    this.#modelSeconds.add(seconds, call, outcome)
  }

  modelTokens(prompt: number, completion: number): void {
    this.#tokens.add(prompt, 'prompt')
    this.#tokens.add(completion, 'completion')
  }

  s3Request(operation: string, outcome: 'succeeded' | 'failed', seconds: number): void {
    this.#s3Seconds.add(seconds, operation, outcome)
  }

  #metric(...description: ConstructorParameters<typeof HotMetric>): HotMetric {
    const metric = new HotMetric(...description)
    this.registry.registerMetric(metric as unknown as Metric)
    return metric
  }

  #gauge(name: string, help: string, read: Read): void {
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
    for (const source of sourceNames) {
      const [name, help] = sourceGauges[source]
      this.#gauge(name, help, sources[source])
    }
    if (sources.spans())
      new Counter({
        name: 'banyan_trace_spans_total',
        help: 'Spans of traces by outcome: exported, or dropped because the collector did not take them.',
        labelNames: ['outcome'],
        registers: [this.registry],
        collect() {
          this.reset()
          for (const [outcome, count] of Object.entries(sources.spans() ?? {})) this.inc({ outcome }, count)
        },
      })
    if (!sources.pool()) return
    for (const [state, help] of poolStates)
      this.#gauge(
        `banyan_database_pool_${state}`,
        `PostgreSQL connection pool: ${help}.`,
        () => sources.pool()?.[state],
      )
  }

  #addProcess(): void {
    for (const gauge of processGauges) this.#gauge(...gauge)
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
    const pauses = this.#metric(
      'nodejs_gc_duration_seconds',
      'Duration of garbage collections.',
      [],
      pauseBuckets,
    )
    const observer = new PerformanceObserver(list => {
      for (const { duration } of list.getEntries()) pauses.add(duration / 1000)
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
  const none = Object.fromEntries(sourceNames.map(name => [name, () => 0]))
  const metrics = new Metrics({
    ...(none as Record<keyof typeof sourceGauges, () => number>),
    pool: () => ({ size: 0, idle: 0, waiting: 0 }),
    spans: () => ({ exported: 0, dropped: 0 }),
  })
  metrics.close()
  type Described = { name: string; help: string; type: string; labelNames: readonly string[] }
  const described = metrics.registry.getMetricsAsArray() as unknown as Described[]
  return described
    .map(({ name, type, help, labelNames }) => ({ name, type, help, labels: labelNames }))
    .sort((one, other) => one.name.localeCompare(other.name))
}
