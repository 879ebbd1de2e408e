import { isJsonRecord } from '../json-record.ts'
import {
  type ChildCall,
  type ChildResult,
  type OutputMessage,
  type Reply,
  type Step,
  StepFailure,
  type SystemValues,
  type TokenUsage,
} from '../step.ts'
import type { PlannedNode } from './plan.ts'
import { effectKey, type RunContext } from './run-context.ts'
import type { StepRecord } from './run-store.ts'
import { fillTemplate, type Template, templateValue, type Values } from './template.ts'

/** What a step needs of the execution it belongs to. */
export interface StepWorld {
  readonly context: RunContext
  readonly values: Values
  template(text: string): Template
  runChild(node: PlannedNode, call: ChildCall, signal: AbortSignal): Promise<ChildResult>
  wrote(node: PlannedNode, piece: string): void
  /** The record of a node that is under way; none after that. */
  runningRecord(node: PlannedNode): StepRecord[]
  restarted(node: PlannedNode): void
  said(node: PlannedNode, message: OutputMessage): void
}

/** As much of an input as the trace keeps. */
const keptInputLength = 64 << 10

/** Keys travel in headers and in the query of an address: whoever may read a trace may not use them. */
function keptInput(pointer: string, value: unknown): unknown {
  if (/\/headers(\/|$)/.test(pointer)) return '***'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (typeof value === 'string' && /\/url$/.test(pointer)) return value.replace(/\?.*$/s, '?***')
  return text === undefined || text.length <= keptInputLength ? value : `${text.slice(0, keptInputLength)}…`
}

/** One attempt of a step, as its kind sees it. After it is over nothing it does counts, but what it did once. */
export class Attempt implements Step {
  readonly nodeId: string
  readonly path: string
  readonly attempt: number
  readonly resumed: { state: unknown; reply: Reply } | undefined
  readonly #world: StepWorld
  readonly #node: PlannedNode
  readonly #inputs: Record<string, unknown> = {}
  #controller: AbortController | undefined
  #abortReason: unknown
  #isOver = false
  promptTokens = 0
  completionTokens = 0

  constructor(
    world: StepWorld,
    node: PlannedNode,
    path: string,
    attempt: number,
    resumed: { state: unknown; reply: Reply } | undefined,
  ) {
    this.#world = world
    this.#node = node
    this.nodeId = node.id
    this.path = path
    this.attempt = attempt
    this.resumed = resumed
  }

  get workspaceId(): string {
    return this.#world.context.workspaceId
  }

  get runId(): string {
    return this.#world.context.runId
  }

  get idempotencyKey(): string {
    return `${this.runId}:${this.path}`
  }

  get system(): SystemValues {
    return this.#world.values.system
  }

  get memory(): Readonly<Record<string, unknown>> {
    return this.#world.values.memory
  }

  /** Made only where somebody looks at it: most steps are over before. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#isOver) this.#controller.abort(this.#abortReason)
    }
    return this.#controller.signal
  }

  /** What its templates were filled with, by their place in the data. */
  get inputs(): Readonly<Record<string, unknown>> {
    return this.#inputs
  }

  get isOver(): boolean {
    return this.#isOver
  }

  end(reason?: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#abortReason = reason
    if (reason !== undefined) this.#controller?.abort(reason)
  }

  text(template: string): string {
    const text = fillTemplate(this.#find(template), this.#world.values)
    this.#keep(template, text)
    return text
  }

  value(template: string): unknown {
    const value = templateValue(this.#find(template), this.#world.values)
    this.#keep(template, value)
    return value
  }

  fill(tree: unknown): unknown {
    if (typeof tree === 'string') return this.value(tree)
    if (Array.isArray(tree)) return tree.map(each => this.fill(each))
    if (!isJsonRecord(tree)) return tree
    // A null prototype, so that a key such as __proto__ is only a key.
    const filled: Record<string, unknown> = Object.create(null)
    for (const key of Object.keys(tree)) filled[key] = this.fill(tree[key])
    return filled
  }

  write(piece: string): void {
    if (!this.#isOver && piece !== '') this.#world.wrote(this.#node, piece)
  }

  restart(): void {
    if (!this.#isOver) this.#world.restarted(this.#node)
  }

  async once<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const { effects } = this.#world.context.restored
    const key = effectKey(this.path, name)
    const known = effects.get(key)
    if (known !== undefined) return JSON.parse(known) as Result
    const result = JSON.stringify((await work()) ?? null)
    effects.set(key, result)
    // With what the step spent so far, so that nothing is lost in a crash that was paid for.
    const steps = this.#world.runningRecord(this.#node)
    await this.#world.context.journal.commit(steps, [{ path: this.path, name, result }])
    return JSON.parse(result) as Result
  }

  spend({ promptTokens, completionTokens }: TokenUsage): void {
    this.promptTokens += promptTokens
    this.completionTokens += completionTokens
    this.#world.context.countTokens({ promptTokens, completionTokens })
  }

  sendMessage(message: OutputMessage): void {
    if (!this.#isOver) this.#world.said(this.#node, message)
  }

  async runWorkflow(call: ChildCall): Promise<ChildResult> {
    if (this.#isOver)
      throw new StepFailure('step_failed', 'The step is over and can run no workflow any more')
    return this.#world.runChild(this.#node, call, this.signal)
  }

  #find(text: string): Template {
    return this.#node.templates.get(text) ?? this.#world.template(text)
  }

  #keep(template: string, value: unknown): void {
    if (!this.#world.context.journal.isKept) return
    const pointer = this.#node.templates.get(template)?.pointer
    if (pointer === undefined) return
    this.#inputs[pointer.slice(1)] = keptInput(pointer, value)
  }
}
