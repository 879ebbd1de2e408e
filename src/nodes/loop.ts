import { limits } from '../contract/limits.ts'
import { inSlices } from '../kernel/slices.ts'
import { type Gap, isJsonRecord, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import { findReferences, type Reference } from '../workflow/references.ts'
import { clip, showNames } from '../workflow/show-value.ts'
import { type Step, stepFailed, waitForChildren } from '../workflow/step.ts'
import { checkClause, checkMatch, localRightField, matches, matchField, operatorField } from './clauses.ts'
import { valueAt } from './field-of.ts'
import { refuseLong } from './fill-json-text.ts'
import { gapsOfEach, gapsWithin } from './gaps.ts'
import { defineKind, field, type KindFields, valuesByName, wholeNumber } from './kind-definition.ts'
import { checkOutputName } from './output-name.ts'
import { readNumber, readObjects, readRecord, readText, textOf } from './read-setting.ts'
import { noWorkflow, withFilesOnly } from './workflow.ts'

/** References such as `{{#loop.draft#}}` in `until`. */
const local = 'loop'
const reserved = ['result', 'rounds', 'text', 'index']
const defaultRounds = 10

const clauseFields: KindFields = {
  left: field(
    { is: 'tree', input: 'line', local },
    ['Value', 'loop.name is a variable or an output of the last round, loop.index its number from 0.'],
    ['值', 'loop.名称 是变量或上一轮的输出，loop.index 是从 0 起的轮次。'],
  ),
  op: operatorField,
  right: localRightField(local),
}

const untilFields: KindFields = {
  match: matchField,
  when: field(
    { is: 'list', of: { is: 'object', required: ['left', 'op'], fields: clauseFields } },
    ['Conditions', 'Without any, all rounds are run.'],
    ['条件', '不设条件时运行全部轮次。'],
  ),
}

export const loop = defineKind({
  kind: 'loop',
  nodeType: 'tool',
  group: 'logic',
  en: ['Loop', 'Runs a workflow in rounds until a condition is true.'],
  zh: ['循环', '反复运行一个工作流，直到满足条件。'],
  fields: {
    workflow_id: field(
      { is: 'template', input: 'workflow' },
      [
        'Workflow',
        'Runs in every round. An output with the name of a variable becomes its value in the next round.',
      ],
      ['工作流', '每一轮运行的工作流；与变量同名的输出即为该变量的新值。'],
    ),
    variables: field(
      {
        ...valuesByName,
        check: values =>
          Object.keys(values as JsonRecord).flatMap(name => checkOutputName(name, name, reserved)),
      },
      ['Variables', 'Initial values, by name. The workflow reads them as sys.inputs.name.'],
      ['循环变量', '按名称填写初始值。工作流中用 sys.inputs.名称 读取。'],
    ),
    inputs: field(
      valuesByName,
      ['Inputs', 'Constant values, by name. The workflow reads them as sys.inputs.name.'],
      ['输入', '各轮不变的值，按名称填写。工作流中用 sys.inputs.名称 读取。'],
    ),
    until: field(
      { is: 'object', fields: untilFields, check: until => checkUntil(until as JsonRecord) },
      ['Until', 'Checked after every round. In it, {{#loop.name#}} is a variable or an output of the round.'],
      ['结束条件', '每轮结束后判断。其中用 {{#loop.名称#}} 引用变量或本轮的输出。'],
    ),
    max_rounds: field(
      wholeNumber(1, limits.loopRounds),
      ['Max rounds', `From 1 to ${limits.loopRounds}; ${defaultRounds} if empty.`],
      ['最多轮数', `1 到 ${limits.loopRounds}；不填则为 ${defaultRounds}。`],
    ),
  },
  required: ['workflow_id'],
  initialData: {
    workflow_id: '',
    variables: { draft: '{{#sys.query#}}' },
    until: { match: 'all', when: [{ left: '{{#loop.done#}}', op: 'equals', right: 'true' }] },
    max_rounds: defaultRounds,
  },
  outputs: data => ['result', 'rounds', 'text', ...Object.keys(readRecord(data, 'variables'))],
  waits: true,
  // As long as a whole run may take: the steps inside have their own limits.
  timeoutMilliseconds: 20 * 60_000,
  async run(step, data) {
    const workflowId = step.text(readText(data, 'workflow_id')).trim()
    if (workflowId === '') throw stepFailed(noWorkflow)
    const { query, files } = step.system
    const fixed = { query, files, ...(step.fill(readRecord(data, 'inputs')) as JsonRecord) }
    const maxRounds = Math.min(readNumber(data, 'max_rounds') ?? defaultRounds, limits.loopRounds)
    let variables = initialVariables(step, data)
    await requireValues(step, workflowId, localNames(ownValue(data, 'until'), local), variables)
    let text = ''
    let rounds = 0
    for (let isDone = false; !isDone && rounds < maxRounds; rounds += 1) {
      step.signal.throwIfAborted()
      const child = await step.runWorkflow({
        name: String(rounds),
        workflowId,
        inputs: withFilesOnly({ ...fixed, ...variables }),
        index: rounds,
        sendsMessages: false,
      })
      if (child.status === 'waiting') return waitForChildren
      text = child.answer
      variables = updated(variables, child.outputs)
      const values = { ...child.outputs, ...variables, index: rounds }
      isDone = await isReached(step, data, { name: local, values })
    }
    return { outputs: { ...variables, result: variables, rounds, text } }
  },
})

function initialVariables(step: Step, data: JsonRecord): JsonRecord {
  const filled = step.fill(readRecord(data, 'variables')) as JsonRecord
  return Object.fromEntries(Object.entries(filled).map(([name, value]) => [name, value ?? '']))
}

/** Fails if the condition names a value that no round has, because it would never hold. */
async function requireValues(
  step: Step,
  workflowId: string,
  names: readonly string[],
  variables: JsonRecord,
): Promise<void> {
  const asked = names.filter(name => name !== 'index' && !Object.hasOwn(variables, name))
  const possible = asked.length > 0 ? await step.outputsOfWorkflow(workflowId) : undefined
  const missing = possible && asked.find(name => !possible.has(name))
  if (missing === undefined) return
  const known = showNames([...new Set(['index', ...Object.keys(variables), ...possible!])])
  throw stepFailed(
    `"until" refers to {{#${local}.${clip(missing)}#}}, but no variable and no output of the workflow ${workflowId} has this name. Known are ${known}.`,
  )
}

const updated = (variables: JsonRecord, outputs: JsonRecord): JsonRecord =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      Object.hasOwn(outputs, name) ? outputs[name] : value,
    ]),
  )

/** Recorded, because it may refer to memory, which later rounds change: after a crash the loop must end there again. */
async function isReached(step: Step, data: JsonRecord, known: LocalValues): Promise<boolean> {
  const until = readRecord(data, 'until')
  const clauses = readObjects(until, 'when')
  if (clauses.length === 0) return false
  const side = (name: string) => (clause: JsonRecord) => fillLocal(step, ownValue(clause, name), known)
  const sides = { left: side('left'), right: side('right') }
  return step.once(`round ${known.values['index']}`, async () =>
    inSlices(matches(until, clauses, sides), step),
  )
}

function checkUntil(until: JsonRecord): Gap[] {
  return [...checkMatch(until), ...gapsWithin('when', gapsOfEach(readObjects(until, 'when'), checkClause))]
}

/** Values that only the templates of one field know, under the name that its shape declares as `local`. */
interface LocalValues {
  readonly name: string
  readonly values: Readonly<Record<string, unknown>>
}

/** Replaces the references in a tree; references under the local name get the local values. */
function fillLocal(step: Pick<Step, 'value'>, tree: unknown, local: LocalValues): unknown {
  if (typeof tree === 'string') return fillText(step, tree, local)
  if (Array.isArray(tree)) return tree.map(each => fillLocal(step, each, local))
  if (!isJsonRecord(tree)) return tree
  return Object.fromEntries(Object.entries(tree).map(([key, each]) => [key, fillLocal(step, each, local)]))
}

function localNames(tree: unknown, name: string): string[] {
  if (typeof tree === 'string')
    return findReferences(tree).flatMap(({ path }) => (path[0] === name && path[1] ? [path[1]] : []))
  if (typeof tree !== 'object' || tree === null) return []
  return Object.values(tree).flatMap(each => localNames(each, name))
}

function fillText(step: Pick<Step, 'value'>, template: string, { name, values }: LocalValues): unknown {
  const valueIn = ({ path, text }: Reference): unknown =>
    path[0] === name ? valueAt(values, path.slice(1)) : step.value(text)
  const references = findReferences(template)
  const [first] = references
  if (first?.text === template) return valueIn(first)
  let filled = ''
  let position = 0
  for (const reference of references) {
    filled += template.slice(position, reference.start) + textOf(valueIn(reference))
    refuseLong(filled)
    position = reference.end
  }
  return filled + template.slice(position)
}
