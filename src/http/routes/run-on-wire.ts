import { limits } from '../../contract/limits.ts'
import { nodeRecord, runRecord } from '../../contract/run-records.ts'
import { usageOnWire } from '../../workflow/run/run-event.ts'
import type {
  OpenQuestion,
  RunError,
  RunRecord,
  RunSummary,
  StepRecord,
} from '../../workflow/run/run-records.ts'
import type { RunInputs } from '../../workflow/run/runs.ts'
import { nodeOfPath } from '../../workflow/run/step-record.ts'
import { JsonText, jsonObject, jsonOrNull } from '../answer.ts'
import { wireWriter } from '../wire.ts'
import type { RunState } from './run-waits.ts'

/** In a record `node_id` is null if no node caused the error; events omit it (`eventError`). */
const recordError = (error: RunError | undefined) =>
  error ? { reason: error.reason, message: error.message, node_id: error.step ?? null } : null

/** Without the engine's own fields. */
const waitingOnWire = (waiting: OpenQuestion | undefined) =>
  waiting ? { node_id: waiting.path, question: waiting.question, options: waiting.options } : null

/** Inputs in the form of the request. */
function inputsOnWire(inputs: string) {
  const { query, files, action, more } = JSON.parse(inputs) as Partial<RunInputs>
  return { query, files, ...(action && { action }), ...more }
}

export const resultMembers = ({ run, messages }: RunState) => ({
  run_id: run.id,
  status: run.status,
  answer: run.answer,
  outputs: jsonOrNull(run.outputs),
  usage: usageOnWire(run),
  elapsed_ms: run.activeMilliseconds,
  error: recordError(run.error),
  waiting: waitingOnWire(run.waiting),
  messages,
})

const runOnWire = wireWriter(runRecord, { run_id: 'id', elapsed_ms: 'activeMilliseconds' })

export const recordOnWire = (run: RunSummary) =>
  runOnWire({ ...run, error: recordError(run.error), usage: usageOnWire(run) })

export const listedOnWire = (run: RunSummary) => ({
  ...recordOnWire(run),
  // Cut between code points.
  answer: [...run.answer.slice(0, limits.listedAnswerLength * 2)]
    .slice(0, limits.listedAnswerLength)
    .join(''),
})

const stepOnWire = wireWriter(nodeRecord.properties)

export const nodeOnWire = (step: StepRecord): JsonText => {
  const { finishedAt, startedAt } = step
  const members = stepOnWire({
    ...step,
    nodeId: nodeOfPath(step.path),
    inputs: jsonOrNull(step.inputs),
    outputs: jsonOrNull(step.outputs),
    error: recordError(step.error),
    tokens: usageOnWire(step),
    elapsedMs: finishedAt === undefined ? null : Math.max(0, finishedAt - startedAt),
  })
  return jsonObject(members)
}

export const detailsOnWire = (run: RunRecord, steps: readonly StepRecord[]): JsonText =>
  jsonObject({
    ...recordOnWire(run),
    chat_id: run.chatId,
    inputs: inputsOnWire(run.inputs),
    outputs: jsonOrNull(run.outputs),
    waiting: waitingOnWire(run.waiting),
    nodes: new JsonText(`[${steps.map(step => nodeOnWire(step).text).join(',')}]`),
  })
