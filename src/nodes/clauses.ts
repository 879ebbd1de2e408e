import type { Pausable } from '../kernel/slices.ts'
import { type Gap, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import { comparisons, findComparison, refuseLarge, unaryOperators } from './compare-values.ts'
import { gapAt } from './gaps.ts'
import { field } from './kind-definition.ts'
import { quote, readText } from './read-setting.ts'

/** How the comparisons of one object are combined. */
export const matchField = field(
  {
    is: 'text',
    options: {
      all: { en: 'all conditions hold', zh: '满足全部条件' },
      any: { en: 'any condition holds', zh: '满足任一条件' },
    },
  },
  ['Matches when'],
  ['成立方式'],
)

export const operatorField = field({ is: 'text', options: comparisons }, ['Comparison'], ['比较方式'])

const rightWords = [
  [
    'Compared with',
    'Not needed for "is empty", "exists" and their opposites. For "is one of" and the like: a list, or a comma-separated text.',
  ],
  ['比较对象', '“为空”“存在”及其反义不需要。“是其中之一”等可填列表，或用逗号分隔的文字。'],
] as const

/** A tree, so that the value may also be a number, a list or a boolean. */
export const rightField = field({ is: 'tree', input: 'line' }, ...rightWords)

/** Like `rightField`, for a node whose comparisons may also refer to its own values, under the given name. */
export const localRightField = (local: string) => field({ is: 'tree', input: 'line', local }, ...rightWords)

/** Where a comparison gets its two sides from. */
interface Sides {
  left(clause: JsonRecord): unknown
  right(clause: JsonRecord): unknown
}

/** Whether the comparisons of an object hold, combined by its `match`; an empty list holds for "all", not for "any". */
export function* matches(each: JsonRecord, clauses: readonly JsonRecord[], sides: Sides): Pausable<boolean> {
  const isAny = readText(each, 'match') === 'any'
  for (const clause of clauses) {
    // Before each comparison: thousands of cases or items may each be decided by their first one.
    yield
    // The first comparison that holds decides "any", the first that does not decides "all".
    if ((yield* holds(clause, sides)) === isAny) return isAny
  }
  return !isAny
}

function* holds(clause: JsonRecord, sides: Sides): Pausable<boolean> {
  const op = readText(clause, 'op')
  const compare = findComparison(op)
  if (!compare) return false
  const right = unaryOperators.has(op) ? undefined : sides.right(clause)
  const left = sides.left(clause)
  for (const side of [left, right]) refuseLarge(side)
  const result = compare(left, right)
  return typeof result === 'boolean' ? result : yield* result
}

export function checkMatch(each: JsonRecord): Gap[] {
  const match = readText(each, 'match')
  if ((ownValue(each, 'match') ?? null) === null || ['all', 'any'].includes(match)) return []
  return gapAt('match', `Must be "all" or "any", but is ${quote(match)}.`)
}

/** A comparison whose left side is `left`. */
export function checkClause(clause: JsonRecord): Gap[] {
  const missing = Object.hasOwn(clause, 'left')
    ? []
    : gapAt('left', 'Set the value to compare, such as {{#input.query#}}.')
  return [...missing, ...checkComparison(clause)]
}

export function checkComparison(clause: JsonRecord): Gap[] {
  const op = readText(clause, 'op')
  if (!findComparison(op)) {
    const problem = op === '' ? 'A comparison needs an operator' : `There is no operator ${quote(op)}`
    return gapAt('op', `${problem}; use one of ${Object.keys(comparisons).join(', ')}.`)
  }
  return unaryOperators.has(op) || Object.hasOwn(clause, 'right')
    ? []
    : gapAt('right', `Set the value to compare with for "${op}".`)
}
