import { limits } from '../contract/limits.ts'
import { forEachConcurrently } from '../kernel/for-each-concurrently.ts'
import { jsonExcess, parseJson } from '../tools/json-limits.ts'
import { ownValue } from '../workflow/node-kind.ts'
import { type Step, StepFailure, stepFailed, waitForChildren } from '../workflow/step.ts'
import { defineKind, field, wholeNumber } from './kind-definition.ts'
import { quote, readNumber, readText, textOf } from './read-setting.ts'
import { noWorkflow } from './workflow.ts'

const maxItems = limits.iterationItems

export const iteration = defineKind({
  kind: 'iteration',
  nodeType: 'tool',
  group: 'logic',
  en: ['Iteration', 'Runs a workflow for every item of a list.'],
  zh: ['循环', '对列表中的每一项运行一次指定的工作流。'],
  fields: {
    items: field(
      { is: 'tree', input: 'line' },
      ['Items', 'A list of up to 500 items, usually a reference.'],
      ['列表', '最多 500 项的列表，通常是一个引用。'],
    ),
    workflow_id: field(
      { is: 'template', input: 'workflow' },
      ['Workflow', 'Runs for each item, which it reads from sys.item or sys.query.'],
      ['工作流', '对每一项运行的工作流，其中用 sys.item 或 sys.query 取得该项。'],
    ),
    parallel: field(
      wholeNumber(1, 10),
      ['Concurrency', 'From 1 to 10; one at a time if empty.'],
      ['并行数', '1 到 10；不填则逐个进行。'],
    ),
  },
  required: ['items', 'workflow_id'],
  initialData: { items: '{{#sys.inputs.files#}}', workflow_id: '', parallel: 1 },
  outputs: () => ['result', 'errors'],
  waits: true,
  // As long as a whole run may take: the steps inside have their own limits.
  timeoutMilliseconds: 20 * 60_000,
  async run(step, data) {
    const items = itemsOf(step.fill(ownValue(data, 'items')))
    const workflowId = step.text(readText(data, 'workflow_id')).trim()
    if (workflowId === '') throw stepFailed(noWorkflow)
    if (items.length > 0) await step.expectWorkflows(workflowId, items.length)
    const rounds = await runRounds(step, workflowId, items, readNumber(data, 'parallel') ?? 1)
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
})

type Round =
  | { status: 'done'; value: unknown }
  | { status: 'waiting' }
  | { status: 'failed'; failure: StepFailure }

function itemsOf(value: unknown): readonly unknown[] {
  const list = typeof value === 'string' ? parseJson(value) : value
  if (!Array.isArray(list)) {
    const excess = typeof value === 'string' && list === undefined ? jsonExcess(value) : undefined
    if (excess !== undefined) throw stepFailed(`"items" is ${excess}; pass less.`)
    const is = value === undefined ? 'nothing' : quote(textOf(value))
    throw stepFailed(`"items" must be a list, or the JSON text of one, but is ${is}.`)
  }
  if (list.length > maxItems)
    throw stepFailed(`"items" has ${list.length} items, but the limit is ${maxItems}; shorten the list.`)
  return list
}

/** After an error that is not a failed item, no further item is started. */
async function runRounds(step: Step, workflowId: string, items: readonly unknown[], parallel: number) {
  const rounds: Round[] = new Array(items.length)
  await forEachConcurrently(parallel, items.entries(), async ([index, item]) => {
    rounds[index] = await runRound(step, workflowId, item, index)
  })
  return rounds
}

/** The value of an item is the answer of the workflow, or its outputs where it sends no message. */
async function runRound(step: Step, workflowId: string, item: unknown, index: number): Promise<Round> {
  step.signal.throwIfAborted()
  try {
    const inputs = { query: textOf(item) }
    const call = { name: String(index), workflowId, inputs, item, index, sendsMessages: false }
    const child = await step.runWorkflow(call)
    if (child.status === 'waiting') return { status: 'waiting' }
    return { status: 'done', value: child.answer === '' ? child.outputs : child.answer }
  } catch (error) {
    // When the whole step was aborted, the item did not fail.
    step.signal.throwIfAborted()
    if (!(error instanceof StepFailure)) throw error
    return { status: 'failed', failure: error }
  }
}

function failureOfAll(first: StepFailure, count: number): StepFailure {
  const { reason, message, retryable, retryAfterMilliseconds } = first
  const which = count === 1 ? 'The only item failed' : `All ${count} items failed; the first error`
  return new StepFailure(reason, `${which}: ${message}`, { retryable, retryAfterMilliseconds, cause: first })
}
