import { AppError } from '../../kernel/app-error.ts'
import type { Graph } from '../graph.ts'
import type { Reply } from '../step.ts'
import { emptyPlan } from './plan.ts'
import type { Trial, Work } from './plans.ts'
import {
  type Answered,
  effectKey,
  noPreviousAttempt,
  type PreviousAttempt,
  type RunDependencies,
  type TaskStart,
} from './run-context.ts'
import { decodeEvents, type RunEvent } from './run-event.ts'
import type { RunRecord } from './run-records.ts'
import type { RunStore } from './run-store.ts'
import type { RunInputs } from './runs.ts'
import { messageId } from './streamed-message.ts'

/** The stored inputs of a run. */
export interface StoredInputs extends RunInputs {
  trial?: Trial
}

/** `isTakenOver`: the previous lease holder crashed. */
export async function recoverTask(
  dependencies: RunDependencies,
  workspaceId: string,
  run: RunRecord,
  lease: string,
  isTakenOver: boolean,
): Promise<TaskStart> {
  const start = { workspaceId, run, lease, answered: answerOf(run) }
  try {
    const previous = await readJournal(dependencies, workspaceId, run.id, isTakenOver)
    const { plan, given } = await workOf(dependencies, workspaceId, run)
    return { ...start, previous, plan, given }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // It can never continue. The task starts only to fail the run; otherwise it would be claimed again and again.
    const previous = { ...noPreviousAttempt(), isTakenOver, sequence: run.sequence }
    return { ...start, previous, plan: emptyPlan, impossible: error }
  }
}

async function workOf({ plans }: RunDependencies, workspaceId: string, run: RunRecord): Promise<Work> {
  const { workflowId, version } = run
  if (run.graph !== undefined) return { plan: plans.planOf(JSON.parse(run.graph) as Graph) }
  const { trial } = JSON.parse(run.inputs) as StoredInputs
  if (trial) return plans.findTrial(workspaceId, workflowId, trial, version)
  return plans.find(workspaceId, workflowId, version)
}

function answerOf(run: RunRecord): Answered | undefined {
  if (run.reply === undefined || run.waiting === undefined) return undefined
  const { path, ordinal } = run.waiting
  return { path, ordinal, reply: JSON.parse(run.reply) as Reply }
}

async function readJournal(
  { store, outputStore }: RunDependencies,
  workspaceId: string,
  runId: string,
  isTakenOver: boolean,
): Promise<PreviousAttempt> {
  const steps = await store.steps(workspaceId, runId)
  for (const step of steps)
    if (step.outputs !== undefined) step.outputs = await outputStore.get(workspaceId, runId, step.outputs)
  const effects = await store.effects(workspaceId, runId)
  for (const effect of effects) effect.result = await outputStore.get(workspaceId, runId, effect.result)
  const sent = new Set<string>()
  const texts = new Map<string, string>()
  let sequence = 0
  for await (const event of readEvents(store, workspaceId, runId, 0)) {
    sequence = event.seq
    if (event.event !== 'message') continue
    const { message_id: id, node_id: path, content } = event.fields
    sent.add(id)
    if (id === messageId(runId, path, 'text')) texts.set(path, content)
  }
  return {
    steps: new Map(steps.map(step => [step.path, step])),
    effects: new Map(effects.map(({ path, name, result }) => [effectKey(path, name), result])),
    texts,
    sent,
    isTakenOver,
    sequence,
  }
}

const batchesPerRead = 50

/** The stored events of a run after a number. */
export async function* readEvents(
  store: RunStore,
  workspaceId: string,
  runId: string,
  after: number,
  signal?: AbortSignal,
): AsyncGenerator<RunEvent> {
  let last = after
  while (!signal?.aborted) {
    const batches = await store.events(workspaceId, runId, last, batchesPerRead)
    for (const batch of batches) {
      for (const event of decodeEvents(batch.lines)) if (event.seq > after) yield event
      last = batch.last
    }
    if (batches.length < batchesPerRead) return
  }
}
