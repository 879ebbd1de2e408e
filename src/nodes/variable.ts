import type { LocalizedText } from '../contract/kind-operations.ts'
import { countValues } from '../kernel/count-values.ts'
import { type Gap, isJsonRecord, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import { type Step, stepFailed } from '../workflow/step.ts'
import { isEmpty, numberOf } from './compare-values.ts'
import { gapAt, gapsOfEach } from './gaps.ts'
import { defineKind, field, type KindFields, objects, valuesByName } from './kind-definition.ts'
import { checkName } from './output-name.ts'
import { quote, quoteValue, readObjects, readRecord, readText } from './read-setting.ts'

/** The new value of a variable from its current one and the value of the change. */
type Operation = (current: unknown, value: unknown) => unknown

const operations: Readonly<Record<string, LocalizedText & { change: Operation; isUnary?: true }>> = {
  set: { en: 'set', zh: '设为', change: (_, value) => value },
  clear: { en: 'clear', zh: '清空', change: emptied, isUnary: true },
  append: { en: 'append an item', zh: '追加一项', change: (current, value) => [...listOf(current), value] },
  extend: { en: 'append a list', zh: '追加列表', change: extended },
  add: { en: 'add', zh: '加', change: calculated((one, other) => one + other) },
  subtract: { en: 'subtract', zh: '减', change: calculated((one, other) => one - other) },
  multiply: { en: 'multiply by', zh: '乘以', change: calculated((one, other) => one * other) },
  divide: { en: 'divide by', zh: '除以', change: calculated((one, other) => one / other) },
  remove_first: {
    en: 'remove the first item',
    zh: '移除第一项',
    change: current => listOf(current).slice(1),
    isUnary: true,
  },
  remove_last: {
    en: 'remove the last item',
    zh: '移除最后一项',
    change: current => listOf(current).slice(0, -1),
    isUnary: true,
  },
}

const changeFields: KindFields = {
  name: field({ is: 'text', input: 'line' }, ['Name', 'The name in memory.'], ['名称', '记忆中的名称。']),
  op: field({ is: 'text', options: operations }, ['Operation'], ['操作']),
  value: field(
    { is: 'tree', input: 'line' },
    ['Value', 'Not needed to clear or to remove an item.'],
    ['值', '清空和移除时不需要。'],
  ),
}

export const variable = defineKind({
  kind: 'variable',
  nodeType: 'base',
  group: 'logic',
  en: ['Variable', 'Stores values for later turns of the conversation.'],
  zh: ['记忆变量', '把值记下来，供之后各轮对话使用。'],
  fields: {
    assign: field(
      {
        ...valuesByName,
        check: values => Object.keys(values as JsonRecord).flatMap(name => checkName(name, name)),
      },
      ['Values', 'By name. Later turns refer to one as memory.name.'],
      ['变量', '按名称填写，之后用 memory.名称 引用。'],
    ),
    changes: field(
      objects(['name', 'op'], changeFields, checkChanges),
      ['Changes', 'Applied to existing values in this order, such as adding an item to a list.'],
      ['变更', '按顺序修改已有的值，例如向列表追加一项。'],
    ),
  },
  required: [],
  initialData: { assign: { last_query: '{{#sys.query#}}' } },
  gaps: data =>
    Object.keys(readRecord(data, 'assign')).length + changesOf(data).length > 0
      ? []
      : gapAt('assign', 'Set at least one value, or add a change.'),
  outputs: () => ['result'],
  run(step, data) {
    const assign = { ...(step.fill(readRecord(data, 'assign')) as JsonRecord) }
    if (changesOf(data).length === 0) return { outputs: { result: assign }, assign }
    return changed(step, data, assign)
  },
})

const changesOf = (data: JsonRecord): readonly JsonRecord[] => readObjects(data, 'changes')

/** A list that is extended by itself grows exponentially. */
const maxValues = 1_000_000

/** Recorded, because after a crash the memory may have the change already, and it must not be made twice. */
async function changed(step: Step, data: JsonRecord, assign: JsonRecord) {
  const result = await step.once('changes', async () => {
    const values = new Map(Object.entries(assign))
    // A null prototype, so that a name such as __proto__ is only a name.
    const memory: Record<string, unknown> = Object.assign(Object.create(null), step.memory, assign)
    for (const change of changesOf(data)) {
      const name = readText(change, 'name')
      memory[name] = apply(change, memory[name], step.fillWith(memory, ownValue(change, 'value')))
      if (countValues(memory[name], maxValues, 32) > maxValues)
        throw stepFailed(`memory.${name.slice(0, 80)} has more than a million values. Store less.`)
      values.set(name, memory[name])
    }
    return Object.fromEntries(values)
  })
  return { outputs: { result }, assign: result }
}

function apply(change: JsonRecord, current: unknown, value: unknown): unknown {
  const op = readText(change, 'op')
  if (!Object.hasOwn(operations, op)) throw stepFailed(`There is no operation ${quote(op)}.`)
  try {
    return operations[op]!.change(current, value === undefined ? '' : value)
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    throw stepFailed(
      `"${op}" cannot be applied to memory.${readText(change, 'name').slice(0, 80)}: ${error.message}`,
    )
  }
}

/** The error of a value that does not fit its operation. */
class Unfit extends Error {}

function listOf(current: unknown): readonly unknown[] {
  if (Array.isArray(current)) return current
  if (isEmpty(current)) return []
  throw new Unfit(`it is no list, but ${quoteValue(current)}. Set it to a list first.`)
}

function extended(current: unknown, value: unknown): unknown {
  if (!Array.isArray(value) && !isEmpty(value))
    throw new Unfit(`the value is no list, but ${quoteValue(value)}. Use "append" for a single item.`)
  return [...listOf(current), ...(Array.isArray(value) ? value : [])]
}

function calculated(calculate: (one: number, other: number) => number): Operation {
  return (current, value) => {
    const [one, other] = [isEmpty(current) ? 0 : numberOf(current), numberOf(value)]
    if (one === undefined) throw new Unfit(`it is no number, but ${quoteValue(current)}.`)
    if (other === undefined) throw new Unfit(`the value is no number, but ${quoteValue(value)}.`)
    const result = calculate(one, other)
    if (!Number.isFinite(result)) throw new Unfit(`the result of ${one} and ${other} is no number.`)
    return result
  }
}

/** The empty value of the same type. */
function emptied(current: unknown): unknown {
  if (Array.isArray(current)) return []
  if (isJsonRecord(current)) return {}
  return typeof current === 'number' ? 0 : ''
}

function checkChanges(changes: readonly JsonRecord[]): Gap[] {
  return gapsOfEach(changes, change => [
    ...checkName('name', readText(change, 'name')),
    ...checkOperation(change),
  ])
}

function checkOperation(change: JsonRecord): Gap[] {
  const op = readText(change, 'op')
  if (!Object.hasOwn(operations, op)) {
    const problem = op === '' ? 'A change needs an operation' : `There is no operation ${quote(op)}`
    return gapAt('op', `${problem}; use one of ${Object.keys(operations).join(', ')}.`)
  }
  return operations[op]!.isUnary || Object.hasOwn(change, 'value')
    ? []
    : gapAt('value', `Set the value for "${op}".`)
}
