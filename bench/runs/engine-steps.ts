import { systemClock } from '../../src/kernel/clock.ts'
import { end } from '../../src/nodes/end.ts'
import { input } from '../../src/nodes/input.ts'
import type { KindRegistry, NodeKind } from '../../src/workflow/node-kind.ts'
import { Execution } from '../../src/workflow/run/execution.ts'
import { noJournal } from '../../src/workflow/run/journal.ts'
import { planGraph } from '../../src/workflow/run/plan.ts'
import type { RunContext } from '../../src/workflow/run/run-context.ts'
import { Slots } from '../../src/workflow/run/slots.ts'
import type { Surroundings } from '../../src/workflow/run/surroundings.ts'
import { type RunOnce, type Shape, stepGraph } from './step-graph.ts'

const work: NodeKind<unknown> = {
  kind: 'work',
  nodeType: 'base',
  fields: {},
  required: [],
  outputs: () => ['value'],
  run: () => ({ outputs: { value: 1 } }),
}
const slowWork: NodeKind<unknown> = {
  ...work,
  kind: 'slow_work',
  run: async () => ({ outputs: { value: 1 } }),
}
const kinds: KindRegistry = new Map([input, end, work, slowWork].map(kind => [kind.kind, kind]))

/** As many steps at a time as in a run of the server. */
const parallel = 16

const nobodyAsks = (): Promise<never> => Promise.reject(new Error('The steps of this bench ask for nothing'))

const context = (): RunContext => ({
  workspaceId: 'bench',
  runId: 'run_bench',
  services: {},
  clock: systemClock,
  journal: noJournal,
  slots: new Slots(parallel),
  restored: { steps: new Map(), effects: new Map() },
  answered: undefined,
  questions: [],
  memory: {},
  remember: () => undefined,
  countStep: () => true,
  countOutput: () => true,
  countTokens: () => {},
  findPlan: nobodyAsks,
  defaultModel: nobodyAsks,
  random: Math.random,
  report: error => {
    throw error
  },
})

const surroundings: Surroundings = {
  system: {
    query: 'Go',
    files: [],
    action: '',
    conversation_id: '',
    user_id: '',
    agent_id: '',
    run_id: 'run_bench',
    time: '2026-11-15T08:30:00.000+00:00',
    history: [],
    inputs: { query: 'Go', files: [] },
    model: '',
  },
  prefix: '',
  heardBy: say => say(),
  runChild: nobodyAsks,
}

/** The engine by itself: a plan that is there, as for every run but the first of a version, and no journal. */
export function engineRunner(shape: Shape, size: number, kind: 'work' | 'slow_work'): RunOnce {
  const plan = planGraph(stepGraph(shape, size, kind), kinds)
  return async () => {
    const ended = await new Execution(plan, context(), surroundings).run()
    if (ended.status !== 'succeeded' || ended.outputs['value'] !== 1) throw new Error('The graph did not run')
  }
}
