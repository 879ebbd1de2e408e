import { isJsonRecord, type JsonRecord, type NodeKind, ownValue } from '../workflow/node-kind.ts'
import type { Step } from '../workflow/step.ts'
import { comparisons, oneSided } from './compare-values.ts'
import { conditionGaps } from './condition-gaps.ts'
import { readList, readText } from './read-setting.ts'

/**
 * Goes on with the first case that holds; a case without `when` is the else. Where none holds and there is no else,
 * no case is chosen and everything behind them is skipped.
 */
export const condition: NodeKind<unknown> = {
  kind: 'condition',
  nodeType: 'base',
  title: 'Condition',
  fields: {
    cases: {
      is: 'list',
      of: {
        is: 'object',
        required: ['id'],
        fields: {
          id: { is: 'text', input: 'line' },
          match: { is: 'text', options: ['all', 'any'] },
          when: {
            is: 'list',
            of: {
              is: 'object',
              required: ['left', 'op'],
              fields: {
                // A tree, so that a number, a list or true may stand there as well as a text.
                left: { is: 'tree', input: 'line' },
                op: { is: 'text', options: [...comparisons.keys()] },
                right: { is: 'tree', input: 'line' },
              },
            },
          },
        },
      },
    },
  },
  required: ['cases'],
  gaps: data => conditionGaps(casesOf(data)),
  outputs: () => ['case'],
  cases: data => casesOf(data).map(each => readText(each, 'id')),
  mayChooseNone: data => !casesOf(data).some(isElse),
  run(step, data) {
    const chosen = casesOf(data).find(each => isElse(each) || holds(step, each))
    const id = chosen === undefined ? '' : readText(chosen, 'id')
    return { outputs: { case: id }, case: id }
  },
}

const casesOf = (data: JsonRecord): JsonRecord[] => readList(data, 'cases').filter(isJsonRecord)

/** An empty list is as good as none, as in every setting. */
const isElse = (each: JsonRecord): boolean => readList(each, 'when').length === 0

function holds(step: Step, each: JsonRecord): boolean {
  const clauses = readList(each, 'when').filter(isJsonRecord)
  const clauseHolds = (clause: JsonRecord): boolean => {
    const op = readText(clause, 'op')
    const right = oneSided.has(op) ? undefined : step.fill(ownValue(clause, 'right'))
    return comparisons.get(op)?.(step.fill(ownValue(clause, 'left')), right) ?? false
  }
  return readText(each, 'match') === 'any' ? clauses.some(clauseHolds) : clauses.every(clauseHolds)
}
