import { findReferences, type Reference } from '../../src/workflow/references.ts'
import type {
  ChildCall,
  ChildResult,
  OutputMessage,
  Reply,
  Step,
  SystemValues,
  TokenUsage,
} from '../../src/workflow/step.ts'

export interface FakeStepOptions {
  /** Values of references: `{ 'node.output': value }`; a reference may continue into the value. */
  values?: Readonly<Record<string, unknown>>
  system?: Partial<SystemValues>
  memory?: Readonly<Record<string, unknown>>
  resumed?: { state: unknown; reply: Partial<Reply> }
  attempt?: number
  signal?: AbortSignal
  /** Returns the result of `runWorkflow`. */
  runWorkflow?: (call: ChildCall) => ChildResult | Promise<ChildResult>
  /** The names that `outputsOfWorkflow` returns; any name is possible without them. */
  workflowOutputs?: readonly string[]
  /** The journal of an earlier attempt: `fakeStep({ journal: first.journal })` continues where that one stopped. */
  journal?: Map<string, string>
}

/** A step without an engine that records the calls of a kind. */
export interface FakeStep extends Step {
  /** Results of `once` as JSON, by name. */
  readonly journal: Map<string, string>
  /** The deltas written since the last restart. */
  readonly pieces: string[]
  readonly restarts: number
  readonly said: OutputMessage[]
  readonly spent: (TokenUsage & { model: string; cost?: number })[]
  readonly calls: ChildCall[]
}

const system: SystemValues = {
  query: '',
  files: [],
  action: '',
  conversation_id: 'conv_1',
  user_id: 'user-1',
  agent_id: 'agent_1',
  run_id: 'run_1',
  time: '2026-11-15T08:30:00.000+00:00',
  history: [],
  inputs: {},
  model: 'fake-model',
}

export function fakeStep(options: FakeStepOptions = {}): FakeStep {
  const journal = options.journal ?? new Map<string, string>()
  const values = new FakeValues(options)
  const pieces: string[] = []
  const said: OutputMessage[] = []
  const spent: FakeStep['spent'] = []
  const calls: ChildCall[] = []
  let restarts = 0
  return {
    journal,
    pieces,
    said,
    spent,
    calls,
    get restarts() {
      return restarts
    },
    workspaceId: 'ws_1',
    runId: 'run_1',
    nodeId: 'node',
    idempotencyKey: 'run_1.node',
    attempt: options.attempt ?? 1,
    signal: options.signal ?? new AbortController().signal,
    startTimeout: () => {},
    reportProgress: () => {},
    reportTool: () => {},
    system: values.system,
    memory: values.memory,
    resumed: options.resumed && {
      state: options.resumed.state,
      reply: { text: '', files: [], action: '', ...options.resumed.reply },
    },
    text: template => values.text(template),
    value: template => values.value(template),
    fill: tree => values.fill(tree),
    fillWith: (memory, tree) => new FakeValues({ ...options, memory }).fill(tree),
    withSecrets: values,
    loadSecrets: async () => {},
    write: piece => void pieces.push(piece),
    restart() {
      restarts += 1
      pieces.length = 0
    },
    async once<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
      // Always through JSON, as the journal returns it after a crash.
      if (!journal.has(name)) journal.set(name, JSON.stringify((await work()) ?? null))
      return JSON.parse(journal.get(name)!) as Result
    },
    spend: usage => void spent.push(usage),
    sendMessage: message => void said.push(message),
    expectWorkflows: async () => {},
    outputsOfWorkflow: async () => options.workflowOutputs && new Set(options.workflowOutputs),
    async runWorkflow(call) {
      calls.push(call)
      if (!options.runWorkflow) throw new Error('this test defines no runWorkflow result')
      return await options.runWorkflow(call)
    },
  }
}

class FakeValues {
  readonly system: SystemValues
  readonly memory: Readonly<Record<string, unknown>>
  readonly #values: Readonly<Record<string, unknown>>

  constructor(options: FakeStepOptions) {
    const query = options.system?.query ?? system.query
    const files = options.system?.files ?? system.files
    this.system = { ...system, inputs: { query, files }, ...options.system }
    this.memory = options.memory ?? {}
    this.#values = options.values ?? {}
  }

  text(template: string): string {
    let filled = ''
    let position = 0
    for (const reference of findReferences(template)) {
      filled += template.slice(position, reference.start) + asText(this.#lookUp(reference))
      position = reference.end
    }
    return filled + template.slice(position)
  }

  value(template: string): unknown {
    const [reference] = findReferences(template)
    if (reference?.text !== template) return this.text(template)
    return this.#lookUp(reference)
  }

  fill(tree: unknown): unknown {
    if (typeof tree === 'string') return this.value(tree)
    if (Array.isArray(tree)) return tree.map(element => this.#fillPart(element))
    if (typeof tree !== 'object' || tree === null) return tree
    // Without a prototype, as the engine creates them.
    const filled: Record<string, unknown> = Object.create(null)
    for (const [key, value] of Object.entries(tree)) filled[key] = this.#fillPart(value)
    return filled
  }

  /** An empty text for what does not exist, as in the engine. */
  #fillPart(part: unknown): unknown {
    const filled = this.fill(part)
    return filled === undefined && typeof part === 'string' ? '' : filled
  }

  #lookUp({ path }: Reference): unknown {
    if (path[0] === 'sys') return goInto(this.system, path.slice(1))
    if (path[0] === 'memory') return goInto(this.memory, path.slice(1))
    for (let length = path.length; length > 0; length -= 1) {
      const name = path.slice(0, length).join('.')
      if (Object.hasOwn(this.#values, name)) return goInto(this.#values[name], path.slice(length))
    }
    return undefined
  }
}

function goInto(value: unknown, path: readonly string[]): unknown {
  let inner = value
  for (const key of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, key)) return undefined
    inner = (inner as Record<string, unknown>)[key]
  }
  return inner
}

/** A string unchanged, anything else as JSON; a missing value is an empty text. */
const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
