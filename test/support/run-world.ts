import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Leases } from '../../src/cluster/leases.ts'
import { MessageBus } from '../../src/cluster/message-bus.ts'
import type { Database } from '../../src/database/database.ts'
import { AppError } from '../../src/kernel/app-error.ts'
import { mintId } from '../../src/kernel/ids.ts'
import type { Graph } from '../../src/workflow/graph.ts'
import { Plans } from '../../src/workflow/run/plans.ts'
import { RunCapacity } from '../../src/workflow/run/run-capacity.ts'
import type { RunDependencies, RunLeases, RunLimits } from '../../src/workflow/run/run-context.ts'
import type { RunEvent } from '../../src/workflow/run/run-event.ts'
import type { RunRequest } from '../../src/workflow/run/run-inputs.ts'
import type { RunListener, RunMessage, Settled } from '../../src/workflow/run/run-listener.ts'
import { type LiveRun, RunService } from '../../src/workflow/run/run-service.ts'
import type { RunTask } from '../../src/workflow/run/run-task.ts'
import { RunWorker } from '../../src/workflow/run/run-worker.ts'
import { OutputStore } from '../../src/workflow/run/store/output-store.ts'
import { RunStore } from '../../src/workflow/run/store/run-store.ts'
import type { HistoryEntry, Reply } from '../../src/workflow/step.ts'
import { WorkflowStore } from '../../src/workflow/workflow-store.ts'
import { openTestDatabase, type TestDatabase } from './open-test-database.ts'
import { Script, scriptedKinds } from './scripted-kinds.ts'

export const workspace = 'w'

export const reply = (text: string): Reply => ({ text, files: [], action: '' })

/** Records what runs report. */
export class ScriptedListener implements RunListener {
  readonly said_: RunMessage[] = []
  readonly settled_: Settled[] = []
  readonly remembered: Readonly<Record<string, unknown>>[] = []
  history: HistoryEntry[] = []
  memory: Record<string, unknown> = {}

  async recall(): Promise<{ history: HistoryEntry[]; memory: Record<string, unknown> }> {
    return { history: this.history, memory: { ...this.memory } }
  }

  async remember(_: unknown, values: Readonly<Record<string, unknown>>): Promise<void> {
    this.remembered.push(values)
    Object.assign(this.memory, values)
  }

  async messageSent(_: unknown, message: RunMessage): Promise<void> {
    if (!this.said_.some(({ id }) => id === message.id)) this.said_.push(message)
  }

  async settled(_: unknown, result: Settled): Promise<void> {
    this.settled_.push(result)
  }

  get texts(): string[] {
    return this.said_.map(({ content }) => content)
  }
}

const never = <Value>(): Promise<Value> => new Promise(() => {})

/** A worker process that can crash at any point of its work. */
export class TestWorker {
  readonly number: number
  readonly live: RunWorker
  readonly runs: RunService
  /** Whether the database refuses a call of this worker. */
  refuses: (point: string) => boolean = () => false
  /** Actions of a crashed worker have no effect. */
  isDead = false
  /** Every effect outside the process so far. */
  readonly points: string[] = []
  readonly leases: string[] = []
  readonly warnings: object[] = []
  readonly #stop = new AbortController()
  readonly #diesAt: ((point: string, count: number) => boolean) | undefined
  readonly #death = Promise.withResolvers<void>()
  /** Resolves when it has crashed. */
  readonly died = this.#death.promise
  /** Everything it worked on, by run id: a short run may end before a test checks. */
  readonly #tasks = new Map<string, RunTask>()
  #work: Promise<void> | undefined

  constructor(world: RunWorld, number: number, options: TestWorkerOptions) {
    this.number = number
    this.#diesAt = options.diesAt
    const kinds = scriptedKinds(world.script, this)
    const leases: RunLeases = new Leases({
      rows: this.#mortal(world.store.leases),
      cluster: {
        time: { now: () => world.clock.now(), refresh: async () => {}, reachableMilliseconds: 60_000 },
        isAlone: false,
      },
      log: { warn: details => void this.warnings.push(details) },
      subject: 'runs',
      milliseconds: options.leaseMilliseconds ?? 15_000,
    })
    const parts: RunDependencies = {
      store: this.#mortal(world.store),
      plans: new Plans(world.workflows, kinds),
      services: {},
      files: { info: async () => ({ items: [] }) },
      listener: this.#mortal(world.listener),
      outputStore: this.#mortal(world.outputStore),
      clock: world.clock,
      leases,
      cluster: options.cluster ?? silentCluster(),
      capacity: new RunCapacity({ live: 200, memoryBytes: 2 ** 31, ...options.capacity }, leases),
      log: { warn: details => void this.warnings.push(details) },
      defaultModel: async () => 'the usual model',
      findSecrets: async () =>
        new Map(Object.entries(options.secrets ?? {}).map(([name, value]) => [name, { value }])),
      limits: { ...usualLimits, ...world.limits, ...options.limits },
    }
    this.live = new RunWorker(parts)
    const begin = this.live.begin.bind(this.live)
    this.live.begin = start => {
      const task = begin(start)
      this.#tasks.set(task.runId, task)
      return task
    }
    this.runs = new RunService(parts, this.live)
  }

  async start(graph: Graph | string, more: Partial<RunRequest> & { query?: string } = {}): Promise<LiveRun> {
    const { query = 'hello', ...request } = more
    const target = typeof graph === 'string' ? { workflowId: graph } : { graph }
    const inputs = { query, files: [], action: '', more: {} }
    return this.runs.start(workspace, { target, trigger: 'run', inputs, ...request })
  }

  /** Starts the run and waits until it ends or waits. */
  async run(graph: Graph | string, more: Partial<RunRequest> & { query?: string } = {}) {
    const { settled } = await this.start(graph, more)
    return settled
  }

  /** Answers a waiting run. */
  resume(runId: string, text: string, chatId = ''): Promise<LiveRun> {
    return this.runs.resume(workspace, runId, reply(text), chatId)
  }

  /** Claims abandoned runs as a server does. Resolves when it has claimed that run. */
  async claim(runId: string): Promise<RunTask> {
    this.serve()
    for (const end = Date.now() + 20_000; Date.now() < end; await sleep(1)) {
      const task = this.#tasks.get(runId)
      // It may have crashed over the run at once.
      if (task) return task
      if (this.isDead) break
    }
    return assert.fail('the run was not claimed')
  }

  /** Joins the work without starting a run. */
  serve(): void {
    this.#work ??= this.live.run(this.#stop.signal)
  }

  /** Shuts down gracefully. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#work
  }

  /** Stops all effects, as after a power failure. Its leases are left behind. */
  die(): void {
    if (this.isDead) return
    this.isDead = true
    this.#death.resolve()
    this.#stop.abort()
    // Only clears its timers: its remaining work has no effect.
    for (const task of this.#tasks.values()) task.abandon()
  }

  passes(point: string): void {
    if (this.isDead) return
    this.points.push(point)
    if (this.#diesAt?.(point, this.points.length)) this.die()
  }

  #mortal<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        return async (...values: unknown[]): Promise<unknown> => {
          if (String(name) !== 'nextDue') this.passes(String(name))
          if (this.isDead) return never()
          if (this.refuses(String(name)))
            throw new AppError('unavailable', 'The database cannot be reached right now')
          for (const value of values)
            if (typeof value === 'object' && value && 'lease' in value) this.leases.push(String(value.lease))
          const result: unknown = await method.apply(target, values)
          if (String(name) !== 'nextDue') this.passes(`${String(name)} done`)
          return this.isDead ? never() : result
        }
      },
    })
  }
}

const usualLimits: RunLimits = {
  nestedSteps: 500,
  parallel: 16,
  milliseconds: 60_000,
  pollMilliseconds: 1,
  storageMilliseconds: 60_000,
  graceMilliseconds: 0,
}

/** No message leaves the worker: others find its runs by polling alone. */
function silentCluster() {
  const bus = new MessageBus()
  return {
    isConnected: false,
    publish: (topic: string, message = '') => bus.deliver(topic, message),
    subscribe: bus.subscribe.bind(bus),
  }
}

export interface TestWorkerOptions {
  cluster?: RunDependencies['cluster']
  leaseMilliseconds?: number
  limits?: Partial<RunLimits>
  capacity?: { live?: number; memoryBytes?: number }
  secrets?: Record<string, string>
  /** Called at every point; true crashes the worker there. */
  diesAt?: (point: string, count: number) => boolean
}

/** A database with runs, scripted steps, a subscriber, and successive worker processes. */
export class RunWorld {
  readonly database: Database
  readonly script = new Script()
  readonly listener = new ScriptedListener()
  readonly store: RunStore
  readonly workflows: WorkflowStore
  readonly outputStore: OutputStore
  readonly limits: Partial<RunLimits>
  /** Advances the clock. */
  ahead = 0
  readonly clock = { now: () => Date.now() + this.ahead }
  readonly workers: TestWorker[] = []

  constructor(database: Database, limits: Partial<RunLimits> = {}) {
    this.database = database
    this.store = new RunStore(database)
    this.workflows = new WorkflowStore(database)
    this.outputStore = new OutputStore(database)
    this.limits = limits
  }

  worker(options: TestWorkerOptions = {}): TestWorker {
    const worker = new TestWorker(this, this.workers.length + 1, options)
    this.workers.push(worker)
    return worker
  }

  /** Stores a graph and returns its id. */
  async save(graph: Graph, id = mintId('wf')): Promise<string> {
    const { nodes } = graph
    await this.workflows.save(workspace, {
      id,
      name: undefined,
      graph: JSON.stringify(graph),
      nodeCount: nodes.length,
      hasCredentials: false,
      expected: 'anything',
      at: this.clock.now(),
    })
    return id
  }

  /** Crashes the worker and lets its leases expire. */
  async crash(worker: TestWorker): Promise<void> {
    worker.die()
    await this.store.leases.expire(worker.leases, this.clock.now() - 1)
  }

  /** Ends all pending work. */
  async close(): Promise<void> {
    for (const worker of this.workers) worker.die()
  }
}

/** The fields of events, by type. */
export const fieldsOf = (events: readonly RunEvent[]): Record<string, unknown>[] =>
  events.map(({ line }) => JSON.parse(line) as Record<string, unknown>)

/** All events of a run so far. */
export async function eventsOf(worker: TestWorker, runId: string, after = 0): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of worker.runs.events(workspace, runId, after, AbortSignal.timeout(20_000)))
    events.push(event)
  return events
}

/** The text of a message or node, as a client assembles it from the deltas. */
export function receivedText(events: readonly RunEvent[], nodeId: string, isMessage = true): string {
  let text = ''
  for (const { event, line } of events) {
    if (event !== 'node.delta') continue
    const fields = JSON.parse(line) as Record<string, unknown>
    if (fields['node_id'] !== nodeId || (fields['message_id'] !== undefined) !== isMessage) continue
    text = (fields['reset'] === true ? '' : text) + String(fields['text'])
  }
  return text
}

/** One database for the tests of a suite, and a new world in it for each of them. */
export function eachRunWorld(use: (world: RunWorld) => void): void {
  let opened: TestDatabase
  let world: RunWorld
  before(async () => {
    opened = await openTestDatabase()
  })
  beforeEach(() => {
    world = new RunWorld(opened.database)
    use(world)
  })
  afterEach(() => world.close())
  after(() => opened.cleanup())
}
