import { AppError } from '../../kernel/app-error.ts'
import { parseInPieces } from '../../kernel/parse-in-pieces.ts'
import { nextTurn } from '../../kernel/pause.ts'
import { isTemporary } from '../../kernel/retry-temporary.ts'
import { queued } from '../../kernel/slices.ts'
import type { Graph } from '../graph.ts'
import type { Reply } from '../step.ts'
import { outOfMemory } from './failures.ts'
import { emptyPlan, type Plan } from './plan.ts'
import type { Work } from './plans.ts'
import { type RunReservation, weightOf } from './run-capacity.ts'
import {
  type Answered,
  effectKey,
  PreviousAttempt,
  type RunDependencies,
  type TaskStart,
} from './run-context.ts'
import { readEvents } from './run-event.ts'
import type { StoredInputs } from './run-inputs.ts'
import { readState, stepAround, stepPath } from './step-record.ts'
import { outputLength } from './store/output-store.ts'
import type { RunRecord, StepRecord } from './store/run-records.ts'
import { messageId } from './streamed-message.ts'

/** A run that was claimed, and how the previous lease holder left it. */
interface Claimed extends Pick<TaskStart, 'workspaceId' | 'run' | 'reservation'> {
  left: ConstructorParameters<typeof PreviousAttempt>[0]
}

/** Fails with `rate_limited` when there is no memory for its outputs now. */
export async function recoverTask(
  dependencies: RunDependencies,
  { workspaceId, run, reservation, left }: Claimed,
): Promise<TaskStart> {
  const start = { workspaceId, run, reservation, answered: answerOf(run) }
  try {
    const { plan, given } = await workOf(dependencies, workspaceId, run)
    const previous = new PreviousAttempt(left)
    await new JournalReader(dependencies, start, plan).read(previous)
    return { ...start, previous, plan, given }
  } catch (error) {
    if (!(error instanceof AppError) || isTemporary(error) || error.reason === 'rate_limited') throw error
    // It can never continue. The task starts only to fail the run; otherwise it would be claimed again and again.
    const previous = new PreviousAttempt(left, run.sequence)
    return { ...start, previous, plan: emptyPlan, impossible: error }
  }
}

async function workOf({ plans }: RunDependencies, workspaceId: string, run: RunRecord): Promise<Work> {
  const { workflowId, version } = run
  if (run.graph !== undefined) return { plan: await plans.planOf(JSON.parse(run.graph) as Graph) }
  const { trial } = JSON.parse(run.inputs) as StoredInputs
  if (trial) return plans.findTrial(workspaceId, workflowId, trial, version)
  return plans.findPinned(workspaceId, workflowId, version)
}

function answerOf(run: RunRecord): Answered | undefined {
  if (run.reply === undefined || run.waiting === undefined) return undefined
  const { path, ordinal } = run.waiting
  return { path, ordinal, reply: JSON.parse(run.reply) as Reply }
}

/** Outputs that are parsed in slices. */
const largeLength = 64 << 10

/** The path of the step itself, or of the outermost step around it. */
const ownStep = (path: string): string => path.split('/', 1)[0]!

function countStep(usage: PreviousAttempt['usage'], step: StepRecord): void {
  if (step.status !== 'skipped') usage.steps += 1
  if (step.status !== 'skipped' && step.path.includes('/')) usage.nestedSteps += 1
  usage.promptTokens += step.promptTokens
  usage.completionTokens += step.completionTokens
  usage.cost += readState(step.state).cost ?? 0
}

function collectAssigned({ assigned }: PreviousAttempt, { path, state }: StepRecord): void {
  const { assign } = readState(state)
  if (!assign) return
  for (let around = path; around !== ''; around = stepAround(around))
    assigned.set(around, Object.assign(assigned.get(around) ?? Object.create(null), assign))
}

/** Reads the journal of a run into memory, as far as its steps still need it and there is room for it. */
class JournalReader {
  readonly #dependencies: RunDependencies
  readonly #workspaceId: string
  readonly #runId: string
  readonly #reservation: RunReservation
  readonly #plan: Plan
  /** The places of the nodes of the run's own graph, by their paths. */
  readonly #places: ReadonlyMap<string, number>

  constructor(
    dependencies: RunDependencies,
    { workspaceId, run, reservation }: Pick<TaskStart, 'workspaceId' | 'run' | 'reservation'>,
    plan: Plan,
  ) {
    this.#dependencies = dependencies
    this.#workspaceId = workspaceId
    this.#runId = run.id
    this.#reservation = reservation
    this.#plan = plan
    this.#places = new Map(plan.nodes.map(({ id, place }) => [stepPath('', id), place]))
    this.#take(2 * run.inputs.length)
  }

  async read(previous: PreviousAttempt): Promise<void> {
    const { store } = this.#dependencies
    const [workspaceId, runId] = [this.#workspaceId, this.#runId]
    for (const step of await store.steps(workspaceId, runId)) {
      previous.steps.set(step.path, step)
      countStep(previous.usage, step)
      collectAssigned(previous, step)
    }
    const isEnded = this.#endedSteps(previous)
    for (const [path, step] of previous.steps) {
      if (path.includes('/') && isEnded(ownStep(path))) previous.steps.delete(path)
      else if (step.outputs !== undefined) {
        step.outputs = this.#isUnread(path, isEnded) ? '{}' : await this.#load(step.outputs)
        if (step.outputs.length > largeLength)
          previous.parsed.set(path, await queued(parseInPieces(step.outputs)))
      }
    }
    for (const { path, name, result } of await store.effects(workspaceId, runId))
      if (!isEnded(ownStep(path))) previous.effects.set(effectKey(path, name), await this.#load(result))
    await this.#readEvents(previous)
  }

  async #readEvents(previous: PreviousAttempt): Promise<void> {
    const { store } = this.#dependencies
    for await (const event of readEvents(store, this.#workspaceId, this.#runId, 0)) {
      previous.sequence = event.seq
      if (event.event !== 'message') continue
      const { message_id: id, node_id: path, content } = event.fields
      previous.sent.add(id)
      if (id === messageId(this.#runId, path, 'text')) previous.texts.set(path, content)
    }
  }

  /** Whether a step of the run's own graph is over. */
  #endedSteps({ steps }: PreviousAttempt): (path: string) => boolean {
    return path => {
      const record = steps.get(path)
      if (record?.status === 'failed') return readState(record.state).handled !== undefined
      return record?.status === 'succeeded' || record?.status === 'skipped'
    }
  }

  /** Whether no step that is still to run reads the outputs of a step; see `GraphState.dropUnread`. */
  #isUnread(path: string, isEnded: (path: string) => boolean): boolean {
    const { nodes, readers } = this.#plan
    const place = this.#places.get(path)
    const ownReaders = place === undefined ? undefined : readers[place]
    return ownReaders?.every(reader => isEnded(stepPath('', nodes[reader]!.id))) ?? false
  }

  async #load(json: string): Promise<string> {
    // An estimate, until the output is loaded.
    const taken = 2 * outputLength(json)
    this.#take(taken)
    const loaded = await this.#dependencies.outputStore.get(this.#workspaceId, this.#runId, json)
    this.#reservation.give(taken)
    this.#take(weightOf(loaded))
    // SQLite reads synchronously, and a large output takes a while: other work runs before the next one.
    if (loaded !== json) await nextTurn()
    return loaded
  }

  #take(bytes: number): void {
    if (this.#reservation.take(bytes)) return
    const { message } = outOfMemory(this.#reservation.max)
    // There may be room later, unless this output alone is too large.
    throw new AppError(this.#reservation.canHold(bytes) ? 'rate_limited' : 'step_failed', message)
  }
}
