import { isTooDeep } from '../tools/json-depth.ts'
import { type NodeKind, ownValue } from '../workflow/node-kind.ts'
import { type Step, StepFailure, waitForChildren } from '../workflow/step.ts'
import { forEachItem } from './for-each-item.ts'
import { numberGaps, quote, readNumber, readText, textOf } from './read-setting.ts'
import { stepFailureOf } from './step-failure-of.ts'

const mostItems = 500

/** Runs a stored workflow for every item of a list. */
export const iteration: NodeKind<unknown> = {
  kind: 'iteration',
  nodeType: 'tool',
  title: 'Iteration',
  fields: {
    items: { is: 'tree', input: 'line' },
    workflow_id: { is: 'template', input: 'workflow' },
    parallel: { is: 'number' },
  },
  required: ['items', 'workflow_id'],
  gaps: data => numberGaps(data, 'parallel', { from: 1, to: 10, whole: true }),
  outputs: () => ['result', 'errors'],
  waits: true,
  // As long as a whole run may take: the steps inside have their own limits.
  timeoutMilliseconds: 20 * 60_000,
  async run(step, data) {
    const items = itemsOf(step.fill(ownValue(data, 'items')))
    const workflowId = step.text(readText(data, 'workflow_id')).trim()
    if (workflowId === '') throw new StepFailure('step_failed', 'No workflow is named; check "workflow_id".')
    const rounds: Round[] = new Array(items.length)
    await forEachItem(items, readNumber(data, 'parallel') ?? 1, async (item, index) => {
      rounds[index] = await runRound(step, workflowId, item, index)
    })
    // Only now, so that the answers of the other items are in the journal when the user is asked.
    if (rounds.some(round => round.status === 'waiting')) return waitForChildren
    const failures = rounds.flatMap((round, index) =>
      round.status === 'failed' ? [{ index, failure: round.failure }] : [],
    )
    if (failures.length > 0 && failures.length === items.length)
      throw failureOfAll(failures[0]!.failure, items.length)
    return {
      outputs: {
        result: rounds.map(round => (round.status === 'done' ? round.value : null)),
        errors: failures.map(({ index, failure }) => ({ index, message: failure.message })),
      },
    }
  },
}

type Round =
  | { status: 'done'; value: unknown }
  | { status: 'waiting' }
  | { status: 'failed'; failure: StepFailure }

function itemsOf(value: unknown): readonly unknown[] {
  const list = typeof value === 'string' ? listOfText(value) : value
  if (!Array.isArray(list)) {
    const is = typeof value === 'string' ? quote(value) : list === undefined ? 'nothing' : quote(textOf(list))
    const message = `"items" must be a list, or the JSON text of one, but is ${is}.`
    throw new StepFailure('step_failed', message)
  }
  if (list.length > mostItems) {
    const message = `"items" has ${list.length} items, but at most ${mostItems} can be worked through; shorten it.`
    throw new StepFailure('step_failed', message)
  }
  return list
}

function listOfText(text: string): unknown {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    return undefined
  }
  if (isTooDeep(text))
    throw new StepFailure('step_failed', '"items" is nested too deeply; hand over a flatter list.')
  return list
}

/** What it says is its value, since most workflows answer; one that says nothing is worth its outputs. */
async function runRound(step: Step, workflowId: string, item: unknown, index: number): Promise<Round> {
  step.signal.throwIfAborted()
  try {
    const inputs = { query: textOf(item) }
    const call = { name: String(index), workflowId, inputs, item, index, sendsMessages: false }
    const child = await step.runWorkflow(call)
    if (child.status === 'waiting') return { status: 'waiting' }
    return { status: 'done', value: child.answer === '' ? child.outputs : child.answer }
  } catch (error) {
    // When all of it was stopped, that is no failure of this item.
    step.signal.throwIfAborted()
    const failure = stepFailureOf(error)
    if (!(failure instanceof StepFailure)) throw error
    return { status: 'failed', failure }
  }
}

function failureOfAll(first: StepFailure, count: number): StepFailure {
  const { reason, message, retryable, retryAfterMilliseconds } = first
  const which = count === 1 ? 'The only item failed' : `All ${count} items failed, the first one with`
  return new StepFailure(reason, `${which}: ${message}`, { retryable, retryAfterMilliseconds, cause: first })
}
