import { inSlices, type Pausable } from '../kernel/slices.ts'
import { type Gap, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import type { Outcome, Step } from '../workflow/step.ts'
import { comparisons, findComparison, refuseLarge, unaryOperators } from './compare-values.ts'
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
  op: field({ is: 'text', options: comparisons }, ['Comparison'], ['比较方式']),
  right: field(
    { is: 'tree', input: 'line' },
    [
      'Compared with',
      'Not needed for "is empty" and "is not empty". For "is one of": a list, or a comma-separated text.',
    ],
    ['比较对象', '“为空”和“不为空”不需要。“是其中之一”可填列表，或用逗号分隔的文字。'],
  ),
}

const caseFields: KindFields = {
  id: caseIdField,
  match: field(
    {
      is: 'text',
      options: {
        all: { en: 'all conditions hold', zh: '满足全部条件' },
        any: { en: 'any condition holds', zh: '满足任一条件' },
      },
    },
    ['Matches when'],
    ['成立方式'],
  ),
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
  let id = ''
  for (const each of casesOf(data))
    if (isElse(each) || (yield* matches(step, each))) {
      id = readText(each, 'id')
      break
    }
  return { outputs: { case: id }, case: id }
}

const casesOf = (data: JsonRecord): readonly JsonRecord[] => readObjects(data, 'cases')

const clausesOf = (each: JsonRecord): readonly JsonRecord[] => readObjects(each, 'when')

/** An empty list means not set, as in every setting. */
const isElse = (each: JsonRecord): boolean => clausesOf(each).length === 0

function* matches(step: Step, each: JsonRecord): Pausable<boolean> {
  const isAny = readText(each, 'match') === 'any'
  for (const clause of clausesOf(each)) {
    // One that holds decides "any", one that does not hold decides "all".
    if ((yield* holds(step, clause)) === isAny) return isAny
    yield
  }
  return !isAny
}

function* holds(step: Step, clause: JsonRecord): Pausable<boolean> {
  const op = readText(clause, 'op')
  const compare = findComparison(op)
  if (!compare) return false
  const right = unaryOperators.has(op) ? undefined : step.fill(ownValue(clause, 'right'))
  const left = step.fill(ownValue(clause, 'left'))
  for (const side of [left, right]) refuseLarge(side)
  const result = compare(left, right)
  return typeof result === 'boolean' ? result : yield* result
}

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

function checkMatch(each: JsonRecord): Gap[] {
  const match = readText(each, 'match')
  if ((ownValue(each, 'match') ?? null) === null || ['all', 'any'].includes(match)) return []
  return gapAt('match', `Must be "all" or "any", but is ${quote(match)}.`)
}

function checkClause(clause: JsonRecord): Gap[] {
  const op = readText(clause, 'op')
  const gaps = Object.hasOwn(clause, 'left')
    ? []
    : gapAt('left', 'Set the value to compare, such as {{#input.query#}}.')
  if (!findComparison(op)) {
    const problem = op === '' ? 'A comparison needs an operator' : `There is no operator ${quote(op)}`
    gaps.push(...gapAt('op', `${problem}; use one of ${Object.keys(comparisons).join(', ')}.`))
  } else if (!unaryOperators.has(op) && !Object.hasOwn(clause, 'right'))
    gaps.push(...gapAt('right', `Set the value to compare with for "${op}".`))
  return gaps
}
