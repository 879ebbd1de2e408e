import { inSlices, type Pausable } from '../kernel/slices.ts'
import { type Gap, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import type { Outcome, Step } from '../workflow/step.ts'
import { checkClause, checkMatch, matches, matchField, operatorField, rightField } from './clauses.ts'
import { refuseLarge } from './compare-values.ts'
import { pathOf, valuesAt } from './field-of.ts'
import { checkUnique, gapAt, gapsOfEach, gapsWithin } from './gaps.ts'
import { caseIdField, defineKind, field, type KindFields, objects } from './kind-definition.ts'
import { quote, readObjects, readText } from './read-setting.ts'

const clauseFields: KindFields = {
  // A tree, so that the value may also be a number, a list or a boolean.
  left: field(
    { is: 'tree', input: 'line' },
    ['Value', 'The value to compare, usually a reference.'],
    ['值', '要比较的内容，通常是一个引用。'],
  ),
  op: operatorField,
  field: field(
    { is: 'text', input: 'line' },
    [
      'Field',
      'Compares this field of the value, or of every element of a list, such as type, extension, size or name of files.',
    ],
    ['字段', '只比较值（或列表中每一项）的这个字段，如文件的 type、extension、size、name。'],
  ),
  right: rightField,
}

const caseFields: KindFields = {
  id: caseIdField,
  match: matchField,
  when: field(
    { is: 'list', of: { is: 'object', required: ['left', 'op'], fields: clauseFields } },
    ['Conditions', 'A branch without conditions is the else and must come last.'],
    ['条件', '不设条件就是“否则”，须放在最后。'],
  ),
}

/** Where no case matches and there is no else, no case is chosen and everything after it is skipped. */
export const condition = defineKind({
  kind: 'condition',
  nodeType: 'base',
  group: 'logic',
  en: ['Condition', 'Takes the first matching branch; a branch without conditions is the else.'],
  zh: ['条件', '走第一个成立的分支；没有条件的分支就是“否则”。'],
  fields: {
    cases: field(
      objects(['id'], caseFields, checkCases),
      ['Branches', 'Checked in this order. If none matches, all nodes after them are skipped.'],
      ['分支', '按顺序判断。都不成立时，后面的节点全部跳过。'],
    ),
  },
  required: ['cases'],
  initialData: {
    cases: [
      { id: 'case_1', match: 'all', when: [{ left: '{{#sys.query#}}', op: 'contains', right: '' }] },
      { id: 'else' },
    ],
  },
  outputs: () => ['case'],
  cases: data => casesOf(data).map(each => readText(each, 'id')),
  mayChooseNone: data => !casesOf(data).some(isElse),
  run: (step, data) => inSlices(choose(step, data), step),
})

function* choose(step: Step, data: JsonRecord): Pausable<Outcome> {
  const sides = {
    left: (clause: JsonRecord) => leftOf(step, clause),
    right: (clause: JsonRecord) => step.fill(ownValue(clause, 'right')),
  }
  let id = ''
  for (const each of casesOf(data))
    if (isElse(each) || (yield* matches(each, clausesOf(each), sides))) {
      id = readText(each, 'id')
      break
    }
  return { outputs: { case: id }, case: id }
}

function leftOf(step: Step, clause: JsonRecord): unknown {
  const value = step.fill(ownValue(clause, 'left'))
  const path = pathOf(readText(clause, 'field'))
  if (path.length === 0) return value
  refuseLarge(value)
  return valuesAt(value, path)
}

const casesOf = (data: JsonRecord): readonly JsonRecord[] => readObjects(data, 'cases')

const clausesOf = (each: JsonRecord): readonly JsonRecord[] => readObjects(each, 'when')

/** An empty list means not set, as in every setting. */
const isElse = (each: JsonRecord): boolean => clausesOf(each).length === 0

function checkCases(cases: readonly JsonRecord[]): Gap[] {
  const checkId = checkUnique(
    'id',
    'A case needs an id, which edges use in "data.case" to follow it.',
    id => `The id ${quote(id)} is used twice; give each case its own.`,
  )
  const unreachable =
    'This case always matches, so the cases after it are never reached: add "when", or move it to the end.'
  return gapsOfEach(cases, (each, index) => [
    ...checkId(each),
    ...checkMatch(each),
    ...(isElse(each) && index < cases.length - 1 ? gapAt('when', unreachable) : []),
    ...gapsWithin('when', gapsOfEach(clausesOf(each), checkClause)),
  ])
}
