import type { GraphNode } from '../../../workflow/graph.ts'
import type { JsonRecord } from '../../../workflow/json-record.ts'
import { node } from '../conversion.ts'
import {
  flagAt,
  namedIn,
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  typedValue,
  valueAt,
} from '../read.ts'
import { loopVariable } from '../scope.ts'
import { asBase, type Convert, type NodeConversion, Unmapped } from './kind.ts'

/** Comparisons of Dify, and ours. */
const operators: Readonly<Record<string, string>> = {
  contains: 'contains',
  'not contains': 'not_contains',
  'start with': 'starts_with',
  'end with': 'ends_with',
  is: 'equals',
  'is not': 'not_equals',
  '=': 'equals',
  '≠': 'not_equals',
  '>': 'gt',
  '≥': 'gte',
  '<': 'lt',
  '≤': 'lte',
  after: 'gt',
  before: 'lt',
  empty: 'empty',
  'not empty': 'not_empty',
  null: 'not_exists',
  'not null': 'exists',
  exists: 'exists',
  'not exists': 'not_exists',
  in: 'in',
  'not in': 'not_in',
  'all of': 'all_in',
}
const unary = new Set(['empty', 'not_empty', 'exists', 'not_exists'])

/** Values that Dify takes for empty, by the type of the variable. */
const zeros: Readonly<Record<string, unknown>> = { number: 0, integer: 0, boolean: false }

function operatorOf(comparison: string): string {
  const operator = namedIn(operators, comparison)
  if (operator === undefined) throw new Unmapped('no_comparison', { comparison })
  return operator
}

/** The right side of a comparison; texts may contain references. */
function rightOf(given: NodeConversion, condition: JsonRecord): unknown {
  const value = valueAt(condition, 'value')
  if (Array.isArray(value)) return value
  return typeof value === 'string' ? given.text(value) : (value ?? '')
}

const matchOf = (record: JsonRecord): string => (textAt(record, 'logical_operator') === 'or' ? 'any' : 'all')

export const ifElse: Convert = given => {
  const { data } = given
  const before: GraphNode[] = []
  // The first versions had one case, whose branch is called "true".
  const cases = recordsAt(data, 'cases')
  const all = cases.length > 0 ? cases : [{ ...data, case_id: 'true' }]
  return asBase(
    {
      type: 'condition',
      cases: [
        ...all.map(each => ({
          id: textAt(each, 'case_id') || textAt(each, 'id'),
          match: matchOf(each),
          when: recordsAt(each, 'conditions').map(condition => clauseOf(given, condition, before)),
        })),
        { id: 'false' },
      ],
    },
    before,
  )
}

const elementComparisons = new Set(['contains', 'not contains', 'all of'])

/** Converts a comparison. If it is about the elements of a list, a list node is added before, which filters them. */
export function clauseOf(given: NodeConversion, condition: JsonRecord, before: GraphNode[]): JsonRecord {
  const comparison = textAt(condition, 'comparison_operator')
  const left = given.value(valueAt(condition, 'variable_selector'))
  const inner = recordsAt(condition, 'sub_variable_condition', 'conditions')
  // With any other comparison, these conditions are only left over from an edit.
  if (inner.length === 0 || !elementComparisons.has(comparison)) {
    const op = operatorOf(comparison)
    const zero = namedIn(zeros, textAt(condition, 'varType'))
    if (zero !== undefined && (op === 'empty' || op === 'not_empty'))
      return { left, op: op === 'empty' ? 'in' : 'not_in', right: ['', zero] }
    return { left, op, ...(!unary.has(op) && { right: rightOf(given, condition) }) }
  }
  if (comparison === 'all of') throw new Unmapped('no_list_comparison', { comparison })
  const id = given.newId('files')
  const match = matchOf(recordAt(condition, 'sub_variable_condition'))
  const where = inner.map(each => elementClause(given, each))
  before.push(
    node(id, 'base', { type: 'list', title: `${given.node.title}: files`, items: left, match, where }),
  )
  return { left: `{{#${id}.result#}}`, op: comparison === 'contains' ? 'not_empty' : 'empty' }
}

function elementClause(given: NodeConversion, condition: JsonRecord): JsonRecord {
  const op = operatorOf(textAt(condition, 'comparison_operator'))
  const key = textAt(condition, 'key')
  return {
    field: key === 'related_id' ? 'id' : key,
    op,
    ...(!unary.has(op) && { right: rightOf(given, condition) }),
  }
}

export const listOperator: Convert = given => {
  const { data } = given
  const sort = recordAt(data, 'order_by')
  const where = flagAt(data, 'filter_by', 'enabled')
    ? recordsAt(data, 'filter_by', 'conditions').map(each => elementClause(given, each))
    : []
  return asBase({
    type: 'list',
    items: given.value(valueAt(data, 'variable')),
    ...(where.length > 0 && { where }),
    // Dify takes an element before it sorts, our list node afterwards.
    ...(flagAt(sort, 'enabled') &&
      !flagAt(data, 'extract_by', 'enabled') && {
        sort: { field: textAt(sort, 'key'), order: textAt(sort, 'value') === 'desc' ? 'desc' : 'asc' },
      }),
    ...sliceOf(given),
  })
}

/** Either one element by its number, or the first elements up to a number. */
function sliceOf({ data }: NodeConversion): JsonRecord {
  if (flagAt(data, 'extract_by', 'enabled')) {
    const serial = numberAt(data, 'extract_by', 'serial')
    if (serial === undefined || serial < 1) throw new Unmapped('no_element_number')
    return { start: serial - 1, limit: 1 }
  }
  const size = numberAt(data, 'limit', 'size')
  return flagAt(data, 'limit', 'enabled') && size !== undefined ? { limit: size } : {}
}

export const aggregator: Convert = given => {
  const { data } = given
  const valuesOf = (record: JsonRecord): string[] =>
    (Array.isArray(record['variables']) ? record['variables'] : [])
      .map(selector => given.value(selector))
      .filter(value => value !== '')
  const groups = flagAt(data, 'advanced_settings', 'group_enabled')
    ? recordsAt(data, 'advanced_settings', 'groups').map(each => ({
        name: textAt(each, 'group_name'),
        values: valuesOf(each),
      }))
    : []
  return asBase(
    groups.length > 0 ? { type: 'aggregator', groups } : { type: 'aggregator', values: valuesOf(data) },
  )
}

const changes: Readonly<Record<string, string>> = {
  'over-write': 'set',
  set: 'set',
  clear: 'clear',
  append: 'append',
  extend: 'extend',
  '+=': 'add',
  '-=': 'subtract',
  '*=': 'multiply',
  '/=': 'divide',
  'remove-first': 'remove_first',
  'remove-last': 'remove_last',
}
const withoutValue = new Set(['clear', 'remove_first', 'remove_last'])

/** Converts both versions: one variable with a mode, or a list of operations. */
export const assigner: Convert = given => {
  const { data } = given
  const items = recordsAt(data, 'items')
  const list =
    items.length > 0
      ? items.map(each =>
          changeOf(
            given,
            textsAt(each, 'variable_selector'),
            textAt(each, 'operation'),
            assigned(given, each),
          ),
        )
      : [
          changeOf(
            given,
            textsAt(data, 'assigned_variable_selector'),
            textAt(data, 'write_mode') || 'over-write',
            given.value(valueAt(data, 'input_variable_selector')),
          ),
        ]
  const names = new Set(list.map(({ name }) => name))
  // A value may refer to a variable that was assigned before it; `assign` does not see that change.
  const isOrdered = list.length > 1 && JSON.stringify(list).includes('{{#memory.')
  const isPlain = list.every(({ op }) => op === 'set') && names.size === list.length && !isOrdered
  return asBase(
    isPlain
      ? { type: 'variable', assign: Object.fromEntries(list.map(({ name, value }) => [name, value])) }
      : { type: 'variable', changes: list },
  )
}

function assigned(given: NodeConversion, item: JsonRecord): unknown {
  const value = valueAt(item, 'value')
  if (textAt(item, 'input_type') === 'variable') return given.value(value)
  const constant = typeof value === 'string' ? given.text(value) : value
  return typedValue(constant, textAt(item, 'operation') === 'set' ? typeOf(given, item) : 'string')
}

/** The type of the variable that an item of an assigner sets. */
function typeOf({ conversion, scope: { container } }: NodeConversion, item: JsonRecord): string {
  const [owner, name = ''] = textsAt(item, 'variable_selector')
  const ofLoop = recordsAt(container?.data ?? {}, 'loop_variables').find(
    each => textAt(each, 'label') === name,
  )
  const type = owner === container?.id ? textAt(ofLoop ?? {}, 'var_type') : conversion.memory.get(name)?.type
  return type || 'string'
}

function changeOf(given: NodeConversion, selector: readonly string[], operation: string, value: unknown) {
  const op = namedIn(changes, operation)
  if (op === undefined) throw new Unmapped('no_operation', { operation })
  return { name: targetOf(given, selector), op, ...(!withoutValue.has(op) && { value }) }
}

/** The name in memory. */
function targetOf(given: NodeConversion, selector: readonly string[]): string {
  const [owner = '', name = ''] = selector
  const { conversion, scope } = given
  if (owner === scope.container?.id) return loopVariable(conversion, scope.container, name)[1]
  const path = scope.path(given.node, selector, 'value') ?? ''
  if (!path.startsWith('memory.'))
    throw new Unmapped('no_conversation_variable', { variable: selector.join('.') })
  return path.slice('memory.'.length)
}

/** The outputs of the run, by name. */
export const ended: Convert = given => {
  const outputs = recordsAt(given.data, 'outputs').map(each => [
    textAt(each, 'variable'),
    Array.isArray(each['value_selector'])
      ? given.value(each['value_selector'])
      : (valueAt(each, 'value') ?? ''),
  ])
  return asBase({ type: 'end', ...(outputs.length > 0 && { outputs: Object.fromEntries(outputs) }) })
}
