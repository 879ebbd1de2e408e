import type { LocalizedText } from '../contract/kind-operations.ts'
import { type Gap, isJsonRecord, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import type { Step } from '../workflow/step.ts'
import { findComparison, type Operator, operators, unaryOperators } from './compare-values.ts'
import { caseIdField, type KindDefinition, type KindFields } from './kind-definition.ts'
import { quote, readList, readText } from './read-setting.ts'

const operatorLabels: Readonly<Record<Operator, LocalizedText>> = {
  equals: { en: 'equals', zh: '等于' },
  not_equals: { en: 'does not equal', zh: '不等于' },
  contains: { en: 'contains', zh: '包含' },
  not_contains: { en: 'does not contain', zh: '不包含' },
  starts_with: { en: 'starts with', zh: '开头是' },
  ends_with: { en: 'ends with', zh: '结尾是' },
  empty: { en: 'is empty', zh: '为空' },
  not_empty: { en: 'is not empty', zh: '不为空' },
  gt: { en: 'is greater than', zh: '大于' },
  gte: { en: 'is at least', zh: '大于或等于' },
  lt: { en: 'is less than', zh: '小于' },
  lte: { en: 'is at most', zh: '小于或等于' },
  in: { en: 'is one of', zh: '是其中之一' },
}

const clauseFields: KindFields = {
  // A tree, so that the value may also be a number, a list or a boolean.
  left: {
    is: 'tree',
    input: 'line',
    label: { en: 'Value', zh: '值' },
    help: { en: 'The value to compare, usually a reference.', zh: '要比较的内容，通常是一个引用。' },
  },
  op: { is: 'text', options: operatorLabels, label: { en: 'Comparison', zh: '比较方式' } },
  right: {
    is: 'tree',
    input: 'line',
    label: { en: 'Compared with', zh: '比较对象' },
    help: {
      en: 'Not needed for "is empty" and "is not empty". For "is one of": a list, or a comma-separated text.',
      zh: '“为空”和“不为空”不需要。“是其中之一”可填列表，或用逗号分隔的文字。',
    },
  },
}

/** Where no case matches and there is no else, no case is chosen and everything after it is skipped. */
export const condition: KindDefinition<unknown> = {
  kind: 'condition',
  nodeType: 'base',
  group: 'logic',
  label: { en: 'Condition', zh: '条件' },
  about: {
    en: 'Takes the first matching branch; a branch without conditions is the else.',
    zh: '走第一个成立的分支；没有条件的分支就是“否则”。',
  },
  fields: {
    cases: {
      is: 'list',
      of: {
        is: 'object',
        required: ['id'],
        fields: {
          id: caseIdField,
          match: {
            is: 'text',
            label: { en: 'Matches when', zh: '成立方式' },
            options: {
              all: { en: 'all conditions hold', zh: '满足全部条件' },
              any: { en: 'any condition holds', zh: '满足任一条件' },
            },
          },
          when: {
            is: 'list',
            of: { is: 'object', required: ['left', 'op'], fields: clauseFields },
            label: { en: 'Conditions', zh: '条件' },
            help: {
              en: 'A branch without conditions is the else and must come last.',
              zh: '不设条件就是“否则”，须放在最后。',
            },
          },
        },
      },
      label: { en: 'Branches', zh: '分支' },
      help: {
        en: 'Checked in this order. If none matches, all nodes after them are skipped.',
        zh: '按顺序判断。都不成立时，后面的节点全部跳过。',
      },
    },
  },
  required: ['cases'],
  initialData: {
    cases: [
      { id: 'case_1', match: 'all', when: [{ left: '{{#sys.query#}}', op: 'contains', right: '' }] },
      { id: 'else' },
    ],
  },
  gaps: data => conditionGaps(casesOf(data)),
  outputs: () => ['case'],
  cases: data => casesOf(data).map(each => readText(each, 'id')),
  mayChooseNone: data => !casesOf(data).some(isElse),
  run(step, data) {
    const chosen = casesOf(data).find(each => isElse(each) || matches(step, each))
    const id = chosen === undefined ? '' : readText(chosen, 'id')
    return { outputs: { case: id }, case: id }
  },
}

const casesOf = (data: JsonRecord): JsonRecord[] => readList(data, 'cases').filter(isJsonRecord)

/** An empty list means not set, as in every setting. */
const isElse = (each: JsonRecord): boolean => readList(each, 'when').length === 0

function matches(step: Step, each: JsonRecord): boolean {
  const clauses = readList(each, 'when').filter(isJsonRecord)
  const holds = (clause: JsonRecord): boolean => {
    const op = readText(clause, 'op')
    const right = unaryOperators.has(op) ? undefined : step.fill(ownValue(clause, 'right'))
    return findComparison(op)?.(step.fill(ownValue(clause, 'left')), right) ?? false
  }
  return readText(each, 'match') === 'any' ? clauses.some(holds) : clauses.every(holds)
}

function conditionGaps(cases: readonly JsonRecord[]): Gap[] {
  const seen = new Set<string>()
  return cases.flatMap((each, index) => {
    const gaps = [...idGaps(each, index, seen), ...matchGaps(each, index)]
    const clauses = readList(each, 'when').filter(isJsonRecord)
    if (clauses.length === 0 && index < cases.length - 1) {
      const message =
        'This case always matches, so the cases after it are never reached: add "when", or move it to the end.'
      gaps.push({ place: ['cases', index, 'when'], message })
    }
    return [
      ...gaps,
      ...clauses.flatMap((clause, place) => clauseGaps(clause, ['cases', index, 'when', place])),
    ]
  })
}

function idGaps(each: JsonRecord, index: number, seen: Set<string>): Gap[] {
  const place = ['cases', index, 'id']
  const id = readText(each, 'id')
  if (id.trim() === '')
    return [{ place, message: 'A case needs an id, which edges use in "data.case" to follow it.' }]
  if (seen.has(id)) return [{ place, message: `The id ${quote(id)} is used twice; give each case its own.` }]
  seen.add(id)
  return []
}

function matchGaps(each: JsonRecord, index: number): Gap[] {
  if (!Object.hasOwn(each, 'match') || ['all', 'any'].includes(readText(each, 'match'))) return []
  const message = `Must be "all" or "any", but is ${quote(readText(each, 'match'))}.`
  return [{ place: ['cases', index, 'match'], message }]
}

function clauseGaps(clause: JsonRecord, place: readonly (string | number)[]): Gap[] {
  const op = readText(clause, 'op')
  const gaps: Gap[] = []
  if (!Object.hasOwn(clause, 'left'))
    gaps.push({ place: [...place, 'left'], message: 'Set the value to compare, such as {{#input.query#}}.' })
  if (!findComparison(op)) {
    const problem = op === '' ? 'A comparison needs an operator' : `There is no operator ${quote(op)}`
    const message = `${problem}; use one of ${operators.join(', ')}.`
    gaps.push({ place: [...place, 'op'], message })
  } else if (!unaryOperators.has(op) && !Object.hasOwn(clause, 'right')) {
    gaps.push({ place: [...place, 'right'], message: `Set the value to compare with for "${op}".` })
  }
  return gaps
}
