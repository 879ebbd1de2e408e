import { AppError } from '../../kernel/app-error.ts'
import type { Graph } from '../graph.ts'
import type { Outputs, Reply } from '../step.ts'
import { emptyPlan, type Plan, planNode } from './plan.ts'
import { noEarlierLife, restoreRun } from './restore-run.ts'
import type { Answered } from './run-context.ts'
import type { RunDependencies } from './run-parts.ts'
import type { RunRecord } from './run-store.ts'
import type { TaskStart } from './run-task.ts'
import type { RunInputs } from './runs.ts'

/** A single node that is tried, kept with the inputs of its run. */
export interface Trial {
  nodeId: string
  outputs: Readonly<Record<string, Outputs>>
}

/** What is kept as the inputs of a run. */
export interface KeptInputs extends RunInputs {
  trial?: Trial
}

/** Everything that a task needs to go on with a run from where its journal ends. */
export async function taskStart(
  parts: RunDependencies,
  workspaceId: string,
  run: RunRecord,
  lease: string,
  isTakenOver: boolean,
): Promise<TaskStart> {
  const start = { workspaceId, run, lease, answered: answerOf(run) }
  try {
    const life = await restoreRun(parts.store, parts.vault, workspaceId, run.id, isTakenOver)
    return { ...start, life, ...(await workOf(parts, workspaceId, run)) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // It can never go on, so it is taken up to fail; else it would be taken up for ever.
    const life = { ...noEarlierLife(), isTakenOver, sequence: run.sequence }
    return { ...start, life, plan: emptyPlan, impossible: error }
  }
}

export const freshStart = (
  workspaceId: string,
  run: RunRecord,
  lease: string,
  work: Pick<TaskStart, 'plan' | 'given'>,
): TaskStart => ({ workspaceId, run, lease, life: noEarlierLife(), answered: undefined, ...work })

async function workOf(
  parts: RunDependencies,
  workspaceId: string,
  run: RunRecord,
): Promise<Pick<TaskStart, 'plan' | 'given'>> {
  if (run.graph !== undefined) return { plan: parts.plans.planOf(JSON.parse(run.graph) as Graph) }
  const { trial } = JSON.parse(run.inputs) as KeptInputs
  if (!trial) return { plan: (await parts.plans.find(workspaceId, run.workflowId, run.version)).plan }
  const { graph } = await parts.plans.findDraft(workspaceId, run.workflowId, run.version)
  return trialWork(parts, graph, trial)
}

/** One node by itself, with what those before it are said to have given. */
export function trialWork(
  parts: RunDependencies,
  graph: Graph,
  trial: Trial,
): { plan: Plan; given: Map<number, Outputs> } {
  const plan = planNode(graph, trial.nodeId, parts.kinds)
  const given = new Map<number, Outputs>()
  for (const { id, place } of plan.nodes)
    if (id !== trial.nodeId && Object.hasOwn(trial.outputs, id)) given.set(place, trial.outputs[id]!)
  return { plan, given }
}

function answerOf(run: RunRecord): Answered | undefined {
  if (run.reply === undefined || run.waiting === undefined) return undefined
  const { path, ordinal } = run.waiting
  return { path, ordinal, reply: JSON.parse(run.reply) as Reply }
}
