import { systemClock } from '../../src/kernel/clock.ts'
import { atOnce } from '../../src/kernel/slices.ts'
import { end } from '../../src/nodes/end.ts'
import { input } from '../../src/nodes/input.ts'
import type { KindRegistry, NodeKind } from '../../src/workflow/node-kind.ts'
import { Execution } from '../../src/workflow/run/execution.ts'
import { planGraph } from '../../src/workflow/run/plan.ts'
import { PreviousAttempt, type RunContext } from '../../src/workflow/run/run-context.ts'
import { Slots } from '../../src/workflow/run/scheduler.ts'
import type { ExecutionOptions } from '../../src/workflow/run/step-run.ts'
import { noJournal } from '../../test/support/no-journal.ts'
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

/** As many concurrent steps as in a run of the server. */
const parallel = 16

const notUsed = (): Promise<never> => Promise.reject(new Error('The steps of this benchmark do not need it'))

/** A context with only the parts that these steps need. */
const context = (): RunContext =>
  ({
    workspaceId: 'bench',
    runId: 'run_bench',
    services: {},
    clock: systemClock,
    journal: noJournal,
    slots: new Slots(parallel),
    usage: { steps: 0, outputLength: 0, promptTokens: 0, completionTokens: 0 },
    limits: { steps: Number.POSITIVE_INFINITY },
    previous: new PreviousAttempt(),
    answered: undefined,
    questions: [],
    unsent: new Map(),
    memory: {},
    remember: () => undefined,
  }) as unknown as RunContext

const options: ExecutionOptions = {
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
  deliver: emit => emit(),
  secrets: undefined,
  nested: { findPlan: notUsed, run: notUsed },
}

/** The engine alone: with a cached plan, as for every run but the first of a version, and without a journal. */
export function engineRunner(shape: Shape, size: number, kind: 'work' | 'slow_work'): RunOnce {
  const plan = atOnce(planGraph(stepGraph(shape, size, kind), kinds))
  return async () => {
    const ended = await new Execution(plan, context(), options).run()
    if (ended.status !== 'succeeded' || ended.outputs['value'] !== 1) throw new Error('The graph did not run')
  }
}
