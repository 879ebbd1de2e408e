import { AppError } from '../../kernel/app-error.ts'
import type { Graph } from '../graph.ts'
import type { Reply } from '../step.ts'
import { emptyPlan } from './plan.ts'
import type { Trial, Work } from './plans.ts'
import {
  type Answered,
  effectKey,
  PreviousAttempt,
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
    const previous = new PreviousAttempt(isTakenOver, run.sequence)
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
  const previous = new PreviousAttempt(isTakenOver)
  for (const step of await store.steps(workspaceId, runId)) {
    if (step.outputs !== undefined) step.outputs = await outputStore.get(workspaceId, runId, step.outputs)
    previous.steps.set(step.path, step)
  }
  for (const { path, name, result } of await store.effects(workspaceId, runId))
    previous.effects.set(effectKey(path, name), await outputStore.get(workspaceId, runId, result))
  for await (const event of readEvents(store, workspaceId, runId, 0)) {
    previous.sequence = event.seq
    if (event.event !== 'message') continue
    const { message_id: id, node_id: path, content } = event.fields
    previous.sent.add(id)
    if (id === messageId(runId, path, 'text')) previous.texts.set(path, content)
  }
  return previous
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
