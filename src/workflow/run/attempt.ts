import { parseInPieces } from '../../kernel/parse-in-pieces.ts'
import { atOnce, inSlices } from '../../kernel/slices.ts'
import { jsonStart, writeJson } from '../../kernel/write-in-pieces.ts'
import { credentialMask, isCredentialParameter, traceableUrl } from '../credentials.ts'
import { isJsonRecord, type JsonRecord } from '../json-record.ts'
import type {
  ChildCall,
  ChildResult,
  OutputMessage,
  PricedUsage,
  Step,
  StepFailure,
  StepProgress,
  SystemValues,
  ToolReport,
} from '../step.ts'
import { pinName } from '../version-sweep.ts'
import { insertsTooMuch, outOfMemory, stepEnded, tooManyItems } from './failures.ts'
import type { Deliver, KeepMessages, MessageStream } from './message-stream.ts'
import { outputsOfPlan, type Plan, type PlannedNode, secretsIn } from './plan.ts'
import { effectKey, type RunContext } from './run-context.ts'
import { loadSecrets, type SecretValues } from './secret-values.ts'
import type { StepRecord } from './store/run-records.ts'
import { fillTemplate, type Template, templateValue, type Values } from './template.ts'

/** What the attempts of one graph's steps share. */
export interface AttemptContext {
  readonly run: RunContext
  readonly plan: Plan
  readonly values: Values
  /** Set where the graph uses secrets. */
  readonly secrets: SecretValues | undefined
  readonly messages: MessageStream
  readonly nested: NestedRuns
}

/** How steps run other workflows. */
export interface NestedRuns {
  /** The plan of the version that the first call of the step found. */
  findPlan(path: string, workflowId: string): Promise<Plan>
  run(
    step: AttemptStep,
    call: ChildCall,
    deliver: Deliver | undefined,
    signal: AbortSignal,
  ): Promise<ChildResult>
}

/** A workflow that runs inside a step. */
interface NestedExecution {
  /** The memory that its outputs take from the reservation of the run. */
  readonly weight: number
  readonly messages: MessageStream
  abort(reason: unknown, keep: KeepMessages): StepRecord[]
  runningSteps(onlyNew: boolean): StepRecord[]
}

export interface AttemptStep extends PricedUsage {
  readonly node: PlannedNode
  readonly path: string
  /** The values of `sys.…` that it started with. */
  readonly system: SystemValues
  /** How often the step was started and did not end, including this start. */
  readonly starts: number
  /** How many questions it has asked before. */
  readonly asked: number
  /** Whether the step holds a slot; afterwards nothing that it emits counts. */
  readonly isActive: boolean
  /** The text it has streamed so far. */
  written: string
  /** The workflows inside it, by the name of the call. */
  readonly children: Map<string, NestedExecution>
  discard(): void
  /** Whether another attempt follows this failure of the current one. */
  willRetry(failure: StepFailure): boolean
  startTimeout(attempt: Attempt): void
  runningRecord(): StepRecord
}

/** How much of one input, and of all inputs together, the trace stores. */
const maxInputLength = 64 << 10
const maxInputsLength = 1 << 20
/** The limit for all text that the templates of a step insert; a single reference shares its value and inserts nothing. */
const maxFilledLength = 8 << 20

const progressMilliseconds = 1000
const maxProgressLength = 500

/** Headers, URLs and members whose names suggest a credential may hold keys, which readers of a trace must not get. */
function withoutSecrets(pointer: string, value: unknown, data: JsonRecord): unknown {
  if (/\/(headers|oauth)(\/|$)/.test(pointer)) return credentialMask
  if (/^\/(query|body|arguments)\//.test(pointer) && isCredentialParameter(pointer.split('/').at(-1)!))
    return credentialMask
  if (isCredentialParameter(formFieldName(pointer, data))) return credentialMask
  return typeof value === 'string' && /\/url$/.test(pointer) ? traceableUrl(value) : value
}

function textsIn(tree: unknown): string[] {
  if (typeof tree === 'string') return [tree]
  return typeof tree === 'object' && tree !== null ? Object.values(tree).flatMap(textsIn) : []
}

/** The name of the field of a form whose value is at the pointer; otherwise empty. */
function formFieldName(pointer: string, { form }: JsonRecord): string {
  const place = /^\/form\/(\d+)\/value/.exec(pointer)?.[1]
  const entry: unknown = place !== undefined && Array.isArray(form) ? form[Number(place)] : undefined
  return isJsonRecord(entry) && typeof entry['name'] === 'string' ? entry['name'] : ''
}

/** One attempt of a step, as its kind sees it. After it is over, only the results of `once` still count. */
export class Attempt implements Step {
  readonly workspaceId: string
  readonly runId: string
  readonly nodeId: string
  readonly attempt: number
  readonly system: SystemValues
  readonly memory: Readonly<Record<string, unknown>>
  readonly resumed: Step['resumed']
  /** What its templates were filled with, by their JSON pointer without the first slash. */
  readonly inputs: Record<string, unknown> = {}
  readonly #context: AttemptContext
  readonly #step: AttemptStep
  #controller: AbortController | undefined
  #abortReason: unknown
  #messageCount = 0
  #filledLength = 0
  #tracedLength = 0
  #nestedCalls = 0
  #loaded: SecretValues | undefined
  #reportedAt = Number.NEGATIVE_INFINITY
  isOver = false

  constructor(context: AttemptContext, step: AttemptStep, attempt: number, resumed: Step['resumed']) {
    this.workspaceId = context.run.workspaceId
    this.runId = context.run.runId
    this.nodeId = step.node.id
    this.attempt = attempt
    this.system = step.system
    this.memory = context.values.memory
    this.resumed = resumed
    this.#context = context
    this.#step = step
  }

  get idempotencyKey(): string {
    return `${this.runId}:${this.#step.path}`
  }

  /** Created on first use: most steps end without one. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.isOver) this.#controller.abort(this.#abortReason)
    }
    return this.#controller.signal
  }

  startTimeout(): void {
    this.#step.startTimeout(this)
  }

  reportProgress({ progress, total, message }: StepProgress): void {
    if (!this.#isLive) return
    this.startTimeout()
    const now = performance.now()
    if (now - this.#reportedAt < progressMilliseconds) return
    this.#reportedAt = now
    const text = message?.slice(0, maxProgressLength)
    this.#context.run.journal.event('node.progress', {
      node_id: this.#step.path,
      progress,
      total,
      message: text,
    })
  }

  reportTool(report: ToolReport): void {
    if (!this.#isLive) return
    const { secrets } = this
    const shown = secrets ? atOnce(secrets.mask(report)) : report
    this.#context.run.journal.event('node.tool', { node_id: this.#step.path, ...shown })
  }

  end(reason?: unknown): void {
    if (this.isOver) return
    this.isOver = true
    this.#abortReason = reason
    if (reason !== undefined) this.#controller?.abort(reason)
  }

  text(template: string, values = this.#context.values): string {
    return this.#read(template, fillTemplate, values)
  }

  value(template: string, values = this.#context.values): unknown {
    return this.#read(template, templateValue, values)
  }

  fill(tree: unknown, values = this.#context.values): unknown {
    if (typeof tree === 'string') return this.value(tree, values)
    if (Array.isArray(tree)) return tree.map(each => this.#fillPart(each, values))
    if (!isJsonRecord(tree)) return tree
    // A null prototype, so that a key such as __proto__ is only a key.
    const filled: Record<string, unknown> = Object.create(null)
    for (const key of Object.keys(tree)) filled[key] = this.#fillPart(tree[key], values)
    return filled
  }

  fillWith(memory: Values['memory'], tree: unknown): unknown {
    return this.fill(tree, { ...this.#context.values, memory })
  }

  /** The output of a skipped node is an empty text here, as in every text: JSON would leave the member out. */
  #fillPart(part: unknown, values: Values): unknown {
    const filled = this.fill(part, values)
    return filled === undefined && typeof part === 'string' ? '' : filled
  }

  get withSecrets(): Step['withSecrets'] {
    const { secrets } = this
    if (!secrets) return this
    const values: Values = { ...this.#context.values, secrets }
    return {
      text: template => this.text(template, values),
      value: template => this.value(template, values),
      fill: tree => this.fill(tree, values),
    }
  }

  /** Undefined where the node uses none. */
  get secrets(): SecretValues | undefined {
    if (this.#loaded) return this.#loaded
    return this.#step.node.secretNames.length > 0 ? this.#context.secrets : undefined
  }

  async loadSecrets(tree: unknown): Promise<void> {
    const { run, plan } = this.#context
    const found = textsIn(tree).flatMap(text => secretsIn(plan.template(text)))
    if (found.length === 0) return
    this.#loaded = await loadSecrets(run, { secretNames: [...this.#step.node.secretNames, ...found] })
  }

  write(piece: string): void {
    const step = this.#step
    if (!this.#isLive || piece === '') return
    step.written += piece
    this.#context.run.journal.event('node.delta', { node_id: step.path, text: piece })
    this.#context.messages.append(step.node.place, piece)
  }

  restart(): void {
    if (!this.isOver) this.#step.discard()
  }

  async once<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const { previous, journal, reservation } = this.#context.run
    const { path } = this.#step
    const key = effectKey(path, name)
    const known = previous.effects.get(key)
    if (known !== undefined) return (await inSlices(parseInPieces(known))) as Result
    const done = (await work()) ?? null
    const { secrets } = this
    const result = await writeJson(secrets ? await inSlices(secrets.mask(done)) : done)
    if (!reservation.take(2 * result.length)) throw outOfMemory(reservation.max)
    previous.effects.set(key, result)
    // The tokens spent so far are stored, too: a crash must not lose usage that was paid for.
    const steps = this.#step.isActive ? [this.#step.runningRecord()] : []
    await journal.commit(steps, [{ path, name, result }])
    return (await inSlices(parseInPieces(result))) as Result
  }

  spend({ promptTokens, completionTokens, cost = 0 }: Parameters<Step['spend']>[0]): void {
    for (const usage of [this.#step, this.#context.run.usage]) {
      usage.promptTokens += promptTokens
      usage.completionTokens += completionTokens
      usage.cost += cost
    }
  }

  sendMessage(message: OutputMessage): void {
    if (!this.#isLive) return
    this.#messageCount += 1
    const { asked, node } = this.#step
    // The messages after a question are new ones, with ids that differ from those before it.
    const name = asked === 0 ? this.#messageCount : `${asked} ${this.#messageCount}`
    this.#context.messages.send(node, name, message)
  }

  async expectWorkflows(workflowId: string, times: number): Promise<void> {
    const { run, nested } = this.#context
    const { path } = this.#step
    // The step was started before and has used part of the steps that were left: its first call recorded the version.
    if (run.previous.effects.has(effectKey(path, pinName(workflowId)))) return
    const { nodes } = await nested.findPlan(path, workflowId)
    const left = run.limits.nestedSteps - run.usage.nestedSteps
    if (times * nodes.length > left) throw tooManyItems(times, nodes.length, left)
  }

  async outputsOfWorkflow(workflowId: string): Promise<ReadonlySet<string> | undefined> {
    return outputsOfPlan(await this.#context.nested.findPlan(this.#step.path, workflowId))
  }

  async runWorkflow(call: ChildCall): Promise<ChildResult> {
    if (!this.#isLive) throw stepEnded()
    const { run, messages } = this.#context
    const deliver: Deliver | undefined =
      call.sendsMessages && messages.isDelivered ? emit => messages.emit(this.#step.node, emit) : undefined
    // The steps inside need the slot: otherwise sixteen steps that wait for theirs would wait forever.
    if (this.#nestedCalls === 0) run.slots.give()
    this.#nestedCalls += 1
    try {
      return await this.#context.nested.run(this.#step, call, deliver, this.signal)
    } finally {
      this.#nestedCalls -= 1
      if (this.#nestedCalls === 0) run.slots.retake()
    }
  }

  get #isLive(): boolean {
    return !this.isOver && this.#step.isActive
  }

  #read<Result>(text: string, read: (template: Template, values: Values) => Result, values: Values): Result {
    const { plan, run, values: shown } = this.#context
    const planned = this.#step.node.templates.get(text)
    const template = planned ?? plan.template(text)
    const result = read(template, values)
    if (typeof result === 'string' && template.parts.length > 1) {
      this.#filledLength += result.length
      if (this.#filledLength > maxFilledLength) throw insertsTooMuch()
    }
    if (planned && run.journal.isKept) {
      // The trace shows the references to secrets, not their values.
      this.#trace(planned.pointer, values.secrets ? read(planned, shown) : result)
    }
    return result
  }

  #trace(pointer: string, result: unknown): void {
    if (this.#tracedLength > maxInputsLength) return
    const value = withoutSecrets(pointer, result, this.#step.node.data)
    const text = typeof value === 'string' ? value : jsonStart(value, maxInputLength)
    const isWhole = text.length <= maxInputLength
    this.inputs[pointer.slice(1)] = isWhole ? value : `${text.slice(0, maxInputLength)}…`
    this.#tracedLength += Math.min(text.length, maxInputLength)
  }
}
