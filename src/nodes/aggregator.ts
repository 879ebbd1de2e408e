import type { Gap, JsonRecord } from '../workflow/node-kind.ts'
import type { Step } from '../workflow/step.ts'
import { isEmpty } from './compare-values.ts'
import { checkUnique, gapAt, gapsOfEach } from './gaps.ts'
import { defineKind, field, type KindFields, objects } from './kind-definition.ts'
import { checkOutputName } from './output-name.ts'
import { quote, readList, readObjects, readText, textOf } from './read-setting.ts'

const valuesField = field(
  { is: 'list', of: { is: 'tree', input: 'line', maySkip: true } },
  ['Values', 'The first one that is not empty is the result. A skipped node has no value.'],
  ['候选值', '取第一个不为空的值；被跳过的节点没有值。'],
)

const groupFields: KindFields = {
  name: field(
    { is: 'text', input: 'line' },
    ['Name', 'The output of this group.'],
    ['名称', '该组的输出名。'],
  ),
  values: valuesField,
}

const reserved = ['text', 'result']

export const aggregator = defineKind({
  kind: 'aggregator',
  nodeType: 'base',
  group: 'logic',
  en: ['Aggregator', 'Joins branches: takes the first value that exists.'],
  zh: ['变量聚合', '汇合各分支：取第一个有值的结果。'],
  fields: {
    values: valuesField,
    groups: field(
      objects(['name', 'values'], groupFields, checkGroups),
      ['Groups', 'Further outputs, each with its own values.'],
      ['分组', '更多输出，每组各有自己的候选值。'],
    ),
  },
  required: [],
  initialData: { values: ['{{#sys.query#}}'] },
  gaps: data =>
    [...readList(data, 'values'), ...readList(data, 'groups')].length > 0
      ? []
      : gapAt('values', 'Add the values to choose from, usually one reference per branch.'),
  outputs: data => [...reserved, ...namesOf(data)],
  run(step, data) {
    const groups = Object.fromEntries(
      readObjects(data, 'groups').map(group => [readText(group, 'name'), firstOf(step, group)]),
    )
    const hasValues = readList(data, 'values').length > 0
    const result = hasValues ? firstOf(step, data) : groups
    return { outputs: { ...groups, result, text: textOf(result) } }
  },
})

const namesOf = (data: JsonRecord): string[] =>
  readObjects(data, 'groups').map(each => readText(each, 'name'))

/** The first value that is set; an empty text if none is, as in every template. */
function firstOf(step: Step, record: JsonRecord): unknown {
  for (const each of readList(record, 'values')) {
    const value = step.fill(each)
    if (!isEmpty(value)) return value
  }
  return ''
}

function checkGroups(groups: readonly JsonRecord[]): Gap[] {
  const checkName = checkUnique(
    'name',
    'A group needs a name, which is its output.',
    name => `The name ${quote(name)} is used twice; give each group its own.`,
  )
  return gapsOfEach(groups, group => [
    ...checkName(group),
    ...checkOutputName('name', readText(group, 'name'), reserved),
    ...(readList(group, 'values').length > 0 ? [] : gapAt('values', 'Add the values to choose from.')),
  ])
}
