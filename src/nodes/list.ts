import { inSlices, type Pausable } from '../kernel/slices.ts'
import { type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import { type Outcome, type Step, stepFailed } from '../workflow/step.ts'
import { checkComparison, checkMatch, matches, matchField, operatorField, rightField } from './clauses.ts'
import { numberOf } from './compare-values.ts'
import { pathOf, valueAt } from './field-of.ts'
import { gapsOfEach } from './gaps.ts'
import { defineKind, field, type KindFields, objects } from './kind-definition.ts'
import { readItems } from './read-items.ts'
import { quote, quoteValue, readObjects, readRecord, readText } from './read-setting.ts'
import { sortItems } from './sort-items.ts'

const pathField = field(
  { is: 'text', input: 'line' },
  ['Field', 'A path inside the item, such as size or author.name; the item itself if empty.'],
  ['字段', '项内的路径，如 size 或 author.name；不填则为该项本身。'],
)

const whereFields: KindFields = { field: pathField, op: operatorField, right: rightField }

const sortFields: KindFields = {
  field: pathField,
  order: field(
    {
      is: 'text',
      options: {
        asc: { en: 'smallest first', zh: '从小到大' },
        desc: { en: 'largest first', zh: '从大到小' },
      },
    },
    ['Order'],
    ['顺序'],
  ),
}

export const list = defineKind({
  kind: 'list',
  nodeType: 'base',
  group: 'data',
  en: ['List', 'Filters, sorts and shortens a list.'],
  zh: ['列表操作', '对列表进行筛选、排序和截取。'],
  fields: {
    items: field(
      { is: 'tree', input: 'line' },
      ['Items', 'A list, usually a reference.'],
      ['列表', '一个列表，通常是引用。'],
    ),
    match: matchField,
    where: field(
      objects(['op'], whereFields, clauses => gapsOfEach(clauses, checkComparison)),
      ['Filter', 'Keeps the items that match these comparisons.'],
      ['筛选', '保留满足这些条件的项。'],
    ),
    sort: field(
      { is: 'object', fields: sortFields },
      ['Sort', 'Numbers first, then dates, then texts; items without the field come last.'],
      ['排序', '依次为数字、日期、文字；没有该字段的项排在最后。'],
    ),
    start: field(
      { is: 'tree', input: 'line' },
      ['Start', 'Index of the first item to keep, from 0.'],
      ['起始位置', '从第几项开始保留，从 0 计。'],
    ),
    limit: field(
      { is: 'tree', input: 'line' },
      ['Limit', 'Maximum number of items; all if empty.'],
      ['数量上限', '最多保留的项数；不填则全部保留。'],
    ),
  },
  required: ['items'],
  initialData: { items: '{{#sys.files#}}' },
  gaps: data => {
    const order = readText(readRecord(data, 'sort'), 'order')
    const isKnown = ['', 'asc', 'desc'].includes(order)
    return [
      ...checkMatch(data),
      ...(isKnown
        ? []
        : [{ place: ['sort', 'order'], message: `Must be "asc" or "desc", but is ${quote(order)}.` }]),
    ]
  },
  outputs: () => ['result', 'first', 'last', 'count'],
  run: (step, data) => inSlices(select(step, data), step),
})

function* select(step: Step, data: JsonRecord): Pausable<Outcome> {
  const start = readCount(step, data, 'start') ?? 0
  const limit = readCount(step, data, 'limit')
  let items = yield* filter(step, data, readItems(step.fill(ownValue(data, 'items'))))
  if ((ownValue(data, 'sort') ?? null) !== null) {
    const sort = readRecord(data, 'sort')
    const path = pathOf(readText(sort, 'field'))
    items = yield* sortItems(items, item => valueAt(item, path), readText(sort, 'order') === 'desc')
  }
  const result = items.slice(start, limit === undefined ? undefined : start + limit)
  // Null, because an undefined output would not exist.
  return {
    outputs: { result, first: result[0] ?? null, last: result.at(-1) ?? null, count: result.length },
  }
}

function* filter(step: Step, data: JsonRecord, items: readonly unknown[]): Pausable<readonly unknown[]> {
  const clauses = readObjects(data, 'where')
  if (clauses.length === 0) return items
  const paths = new Map(clauses.map(clause => [clause, pathOf(readText(clause, 'field'))]))
  const rights = new Map(clauses.map(clause => [clause, step.fill(ownValue(clause, 'right'))]))
  const kept: unknown[] = []
  for (const item of items) {
    const sides = {
      left: (clause: JsonRecord) => valueAt(item, paths.get(clause)!),
      right: (clause: JsonRecord) => rights.get(clause),
    }
    if (yield* matches(data, clauses, sides)) kept.push(item)
  }
  return kept
}

/** A whole number from 0, or the text of one; undefined if it is not set. */
function readCount(step: Step, data: JsonRecord, name: string): number | undefined {
  const given = step.fill(ownValue(data, name))
  if (given === undefined || given === null || given === '') return undefined
  const count = numberOf(given)
  if (count !== undefined && Number.isSafeInteger(count) && count >= 0) return count
  throw stepFailed(`"${name}" must be a whole number from 0, but is ${quoteValue(given)}.`)
}
