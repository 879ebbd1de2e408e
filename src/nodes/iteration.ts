import type { LocalizedText } from '../contract/kind-operations.ts'
import { limits } from '../contract/limits.ts'
import { forEachConcurrently } from '../kernel/for-each-concurrently.ts'
import { type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import { showNames, showValue } from '../workflow/show-value.ts'
import {
  type ChildCall,
  type Outputs,
  type Step,
  StepFailure,
  stepFailed,
  waitForChildren,
} from '../workflow/step.ts'
import { pathOf, valueAt } from './field-of.ts'
import { choice, defineKind, field, valuesByName, wholeNumber } from './kind-definition.ts'
import { readItems } from './read-items.ts'
import { readNumber, readRecord, readText, textOf } from './read-setting.ts'
import { noWorkflow, withFilesOnly } from './workflow.ts'

const maxItems = limits.iterationItems

const itemErrors: Readonly<Record<string, LocalizedText>> = {
  continue: { en: 'Continue with null', zh: '结果记为 null，继续' },
  remove: { en: 'Leave the item out', zh: '去掉该项，继续' },
  stop: { en: 'Fail the node', zh: '节点失败' },
}

export const iteration = defineKind({
  kind: 'iteration',
  nodeType: 'tool',
  group: 'logic',
  en: ['Iteration', 'Runs a workflow for every item of a list.'],
  zh: ['迭代', '对列表中的每一项运行一次指定的工作流。'],
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
    inputs: field(
      valuesByName,
      ['Inputs', 'Further values, by name. The workflow reads them as sys.inputs.name.'],
      ['输入', '其他值，按名称填写。工作流中用 sys.inputs.名称 读取。'],
    ),
    output: field(
      { is: 'text', input: 'line' },
      [
        'Output',
        'The output of the workflow to collect, such as text or summary.result. If empty: its messages, or all of its outputs.',
      ],
      ['输出', '要收集的输出，如 text 或 summary.result。不填则为其消息；没有消息时为全部输出。'],
    ),
    on_item_error: field(
      choice(itemErrors),
      ['On item error', 'What happens when the workflow fails for an item. Null if empty.'],
      ['单项失败时', '某一项运行失败时的处理方式。不填则结果为 null。'],
    ),
    flatten: field(
      { is: 'boolean' },
      ['Flatten', 'Joins the lists of all items into one list.'],
      ['展平', '把各项得到的列表合并为一个列表。'],
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
    const output = pathOf(readText(data, 'output'))
    if (items.length > 0) await step.expectWorkflows(workflowId, items.length)
    const isChosen = output.length > 0 && items.length > 0
    const possible = isChosen ? await step.outputsOfWorkflow(workflowId) : undefined
    // Checked before the first item, because its steps may cost money.
    if (possible && !possible.has(output[0]!)) throw noOutput(workflowId, output, [...possible])
    const rounds = await runRounds(step, data, { workflowId, items, output })
    // The user is asked only after all items, so that the results of the other items are in the journal by then.
    if (rounds.some(round => round.status === 'waiting')) return waitForChildren
    const failures = rounds.flatMap((round, index) =>
      round.status === 'failed' ? [{ index, failure: round.failure }] : [],
    )
    if (failures.length > 0 && failures.length === items.length)
      throw failureOfAll(failures[0]!.failure, items.length)
    if (isChosen && !possible) requireOutput(workflowId, output, rounds)
    return {
      outputs: {
        result: collected(data, rounds),
        errors: failures.map(({ index, failure }) => ({ index, message: failure.message })),
      },
    }
  },
})

interface Rounds {
  workflowId: string
  items: readonly unknown[]
  output: readonly string[]
}

type Round =
  | { status: 'done'; value: unknown; outputs: Outputs }
  | { status: 'waiting' }
  | { status: 'failed'; failure: StepFailure }

function itemsOf(value: unknown): readonly unknown[] {
  const list = readItems(value)
  if (list.length > maxItems)
    throw stepFailed(`"items" has ${list.length} items, but the limit is ${maxItems}; shorten the list.`)
  return list
}

function collected(data: JsonRecord, rounds: readonly Round[]): readonly unknown[] {
  const leavesOut = readText(data, 'on_item_error') === 'remove'
  const values = rounds.flatMap(round => {
    if (round.status === 'done') return [round.value]
    return leavesOut ? [] : [null]
  })
  return ownValue(data, 'flatten') === true ? values.flat() : values
}

/** No further item is started after an error that is not the failure of an item, or if a failed item stops the node. */
async function runRounds(step: Step, data: JsonRecord, { workflowId, items, output }: Rounds) {
  const inputs = step.fill(readRecord(data, 'inputs')) as JsonRecord
  const stops = readText(data, 'on_item_error') === 'stop'
  const rounds: Round[] = new Array(items.length)
  await forEachConcurrently(readNumber(data, 'parallel') ?? 1, items.entries(), async ([index, item]) => {
    const given = withFilesOnly({ query: textOf(item), ...inputs })
    const call = { name: String(index), workflowId, inputs: given, item, index, sendsMessages: false }
    const round = await runRound(step, call, output)
    if (stops && round.status === 'failed') throw failureOf(round.failure, `Item ${index} failed`)
    rounds[index] = round
  })
  return rounds
}

/** Records a failure, so that the item is not run again after a crash or a question; a retry of the node runs it. */
async function runRound(step: Step, call: ChildCall, output: readonly string[]): Promise<Round> {
  let round: Round | undefined
  const name = `failure of item ${call.name} in attempt ${step.attempt}`
  const runOnce = step.once<RecordedFailure | null>(name, async () => {
    round = await runItem(step, call, output)
    if (round.status !== 'failed') throw notFailed
    const { reason, message, retryable, retryAfterMilliseconds } = round.failure
    return { reason, message, retryable, retryAfterMilliseconds }
  })
  const failed = await runOnce.catch((error: unknown) => {
    if (error !== notFailed) throw error
    return null
  })
  return failed
    ? { status: 'failed', failure: new StepFailure(failed.reason, failed.message, failed) }
    : round!
}

type RecordedFailure = Pick<StepFailure, 'reason' | 'message' | 'retryable' | 'retryAfterMilliseconds'>

/** Thrown inside `once` so that it records nothing for an item that did not fail. */
const notFailed = new Error('The item did not fail')

/** Runs one item. Its value is the chosen output, or the answer of the workflow, or all outputs if it sends no message. */
async function runItem(step: Step, call: ChildCall, output: readonly string[]): Promise<Round> {
  step.signal.throwIfAborted()
  try {
    const child = await step.runWorkflow(call)
    if (child.status === 'waiting') return { status: 'waiting' }
    const { outputs, answer } = child
    if (output.length > 0) return { status: 'done', value: valueAt(outputs, output) ?? null, outputs }
    return { status: 'done', value: answer === '' ? outputs : answer, outputs }
  } catch (error) {
    // When the whole step was aborted, the item did not fail.
    step.signal.throwIfAborted()
    if (!(error instanceof StepFailure)) throw error
    return { status: 'failed', failure: error }
  }
}

/** Fails if no item has the output, which is a mistake. For an item that skipped the node of the output, it is null. */
function requireOutput(workflowId: string, output: readonly string[], rounds: readonly Round[]): void {
  const given = rounds.flatMap(round => (round.status === 'done' ? [round.outputs] : []))
  if (given.length === 0 || given.some(outputs => Object.hasOwn(outputs, output[0]!))) return
  throw noOutput(workflowId, output, [...new Set(given.flatMap(outputs => Object.keys(outputs)))])
}

function noOutput(workflowId: string, output: readonly string[], names: readonly string[]): StepFailure {
  const offer = names.length === 0 ? 'none; connect a node to its end' : showNames(names)
  return stepFailed(
    `"output" is ${showValue(output.join('.'))}, but the workflow ${workflowId} has no output ${showValue(output[0])}. It has ${offer}.`,
  )
}

const failureOfAll = (first: StepFailure, count: number): StepFailure =>
  failureOf(first, count === 1 ? 'The only item failed' : `All ${count} items failed; the first error`)

function failureOf(failure: StepFailure, which: string): StepFailure {
  const { reason, message, retryable, retryAfterMilliseconds } = failure
  return new StepFailure(reason, `${which}: ${message}`, {
    retryable,
    retryAfterMilliseconds,
    cause: failure,
  })
}
