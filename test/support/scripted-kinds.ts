import { condition } from '../../src/nodes/condition.ts'
import { end } from '../../src/nodes/end.ts'
import { input } from '../../src/nodes/input.ts'
import { iteration } from '../../src/nodes/iteration.ts'
import { loop } from '../../src/nodes/loop.ts'
import type { NodeServices } from '../../src/nodes/node-services.ts'
import { output } from '../../src/nodes/output.ts'
import { question } from '../../src/nodes/question.ts'
import { variable } from '../../src/nodes/variable.ts'
import { workflow } from '../../src/nodes/workflow.ts'
import type { JsonRecord, KindRegistry, NodeKind } from '../../src/workflow/node-kind.ts'
import { type Outcome, type Outputs, type Step, StepFailure } from '../../src/workflow/step.ts'

/** One start of a step. */
export interface StepStart {
  node: string
  attempt: number
  key: string
  /** The attempt of the run, from 1. */
  worker: number
  step: Step
}

/** The behaviour of scripted steps, and a record of what they did. */
export class Script {
  readonly starts: StepStart[] = []
  /** Names of the effects executed by `once`. */
  readonly effects: string[] = []
  readonly #gates = new Map<string, PromiseWithResolvers<unknown>>()
  readonly #works = new Map<string, (step: Step, data: JsonRecord) => Outcome | Promise<Outcome>>()

  /** Resolves when a test opens it; a node refers to it as `hold`. */
  gate(name: string): PromiseWithResolvers<unknown> {
    const gate = this.#gates.get(name) ?? Promise.withResolvers()
    this.#gates.set(name, gate)
    return gate
  }

  open(...names: string[]): void {
    for (const name of names) this.gate(name).resolve(undefined)
  }

  /** Replaces the behaviour in the data for the node with that id. */
  when(node: string, work: (step: Step, data: JsonRecord) => Outcome | Promise<Outcome>): void {
    this.#works.set(node, work)
  }

  workOf(node: string): ((step: Step, data: JsonRecord) => Outcome | Promise<Outcome>) | undefined {
    return this.#works.get(node)
  }

  /** Ids of the started nodes, in order. */
  get begun(): string[] {
    return this.starts.map(({ node }) => node)
  }

  countOf(node: string): number {
    return this.starts.filter(start => start.node === node).length
  }

  /** The step of the last start of a node. */
  stepOf(node: string): Step {
    const start = this.starts.findLast(each => each.node === node)
    if (!start) throw new Error(`${node} was not started`)
    return start.step
  }
}

interface Place {
  number: number
  isDead: boolean
  /** Called before a step does anything. */
  passes(point: string): void
}

const never = <Value>(): Promise<Value> => new Promise(() => {})

/** Executes the data of a node: `hold`, `fail`, `write`, `once`, `say`, `assign`, `case`, `ask`, `give`. */
function perform(script: Script, place: Place) {
  return (step: Step, data: JsonRecord): Outcome | Promise<Outcome> => {
    if (place.isDead) return never()
    const { nodeId: node, attempt, idempotencyKey: key } = step
    script.starts.push({ node, attempt, key, worker: place.number, step })
    place.passes(`start of ${node}`)
    if (place.isDead) return never()
    const work = script.workOf(node)
    if (work) return work(step, data)
    const isQuick = !['hold', 'write', 'once'].some(name => Object.hasOwn(data, name))
    return isQuick ? finish(step, data) : slowly(script, place, step, data)
  }
}

async function slowly(script: Script, place: Place, step: Step, data: JsonRecord): Promise<Outcome> {
  const alive = (): Promise<void> => (place.isDead ? never() : Promise.resolve())
  if (typeof data['hold'] === 'string') await script.gate(data['hold']).promise
  await alive()
  for (const piece of (data['write'] as string[] | undefined) ?? []) {
    step.write(piece)
    await new Promise(resolve => setImmediate(resolve))
    await alive()
  }
  if (typeof data['once'] === 'string') {
    const name = data['once']
    await step.once(name, async () => {
      await alive()
      script.effects.push(`${step.nodeId} ${name}`)
      place.passes(`effect of ${step.nodeId}`)
      await alive()
      return step.attempt
    })
  }
  return finish(step, data)
}

function finish(step: Step, data: JsonRecord): Outcome {
  const { fail, say, ask, assign } = data
  if (typeof fail === 'number' && step.attempt <= fail)
    throw new StepFailure('step_failed', 'as scripted', { retryable: true })
  if (typeof say === 'string') step.sendMessage({ dataType: 'action', content: step.text(say), fileIds: [] })
  if (typeof ask === 'string' && !step.resumed) return { wait: { question: step.text(ask), state: 'kept' } }
  const written = Array.isArray(data['write']) ? { text: data['write'].join('') } : {}
  const outputs = {
    ...written,
    ...(step.resumed && { answer: step.resumed.reply.text }),
    ...(step.fill(data['give'] ?? {}) as Outputs),
  }
  const chosen = typeof data['case'] === 'string' ? step.text(data['case']) : undefined
  return {
    outputs,
    ...(chosen !== undefined && { case: chosen }),
    ...(assign !== undefined && { assign: step.fill(assign) as Outputs }),
  }
}

/** The kinds of a registry for tests of the engine: a few scripted ones, and the real ones that need no service. */
export function scriptedKinds(script: Script, place: Place): KindRegistry {
  const work: NodeKind<unknown> = {
    kind: 'work',
    nodeType: 'base',
    fields: {
      give: { is: 'tree' },
      assign: { is: 'tree' },
      say: { is: 'template' },
      ask: { is: 'template' },
      case: { is: 'template' },
      header: { is: 'template', secrets: true },
    },
    required: [],
    outputs: () => undefined,
    run: perform(script, place),
  }
  const kinds: NodeKind<never>[] = [
    work,
    { ...work, kind: 'model', streams: ['text'] },
    { ...work, kind: 'asker', waits: true },
    { ...work, kind: 'sayer', sendsMessages: true },
    { ...work, kind: 'branch', cases: data => data['cases'] as string[] | undefined },
  ]
  for (const kind of [input, output, end, condition, question, variable, workflow, iteration, loop])
    kinds.push({
      ...kind,
      run: (step: Step, data: JsonRecord, services: unknown) => {
        if (place.isDead) return never()
        const { nodeId: node, attempt, idempotencyKey: key } = step
        script.starts.push({ node, attempt, key, worker: place.number, step })
        place.passes(`start of ${node}`)
        return place.isDead ? never() : kind.run(step, data, services as NodeServices)
      },
    })
  return new Map(kinds.map(kind => [kind.kind, kind]))
}
