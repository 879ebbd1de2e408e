import type { GraphNode } from '../../../workflow/graph.ts'
import type { JsonRecord } from '../../../workflow/json-record.ts'
import { node } from '../conversion.ts'
import {
  asText,
  flagAt,
  namedIn,
  numberAt,
  recordsAt,
  textAt,
  textsAt,
  typedValue,
  valueAt,
} from '../read.ts'
import { loopVariable, Scope } from '../scope.ts'
import { asBase, asTool, type Convert, type NodeConversion } from './kind.ts'
import { clauseOf } from './logic.ts'

// The nodes inside an iteration or a loop become a workflow of their own, which is stored beside the main one.

const childName = ({ node: { title, type }, conversion }: NodeConversion): string =>
  `${conversion.app.name} · ${title || type}`

const errorModes: Readonly<Record<string, string>> = {
  terminated: 'stop',
  'continue-on-error': 'continue',
  'remove-abnormal-output': 'remove',
}

const passedInputs = ({ passed }: Scope): JsonRecord =>
  passed.size > 0 ? { inputs: Object.fromEntries(passed) } : {}

export const iteration: Convert = given => {
  const { conversion, data } = given
  noteMessages(given)
  const scope = new Scope(conversion, { outer: given.scope, container: given.node })
  const id = conversion.options.mintId()
  const child = given.buildInner(scope, {
    id,
    name: childName(given),
    input: { title: 'Input' },
    outputs: () => ({ output: scope.value(given.node, valueAt(data, 'output_selector')) }),
  })
  conversion.children.push(child)
  const parallel = flagAt(data, 'is_parallel') ? (numberAt(data, 'parallel_nums') ?? 10) : 1
  return asTool({
    type: 'iteration',
    items: given.value(valueAt(data, 'iterator_selector')),
    workflow_id: id,
    ...passedInputs(scope),
    output: 'output',
    parallel: Math.min(Math.max(Math.round(parallel), 1), 10),
    on_item_error: namedIn(errorModes, textAt(data, 'error_handle_mode')) ?? 'stop',
    flatten: valueAt(data, 'flatten_output') !== false,
  })
}

/** Messages of the inner workflow are not sent to the user. */
function noteMessages(given: NodeConversion): void {
  const { app } = given.conversion
  if (app.nodes.some(({ parentId, type }) => parentId === given.node.id && type === 'answer'))
    given.note('inner_messages')
}

/** The output by which a round ends the loop. */
const overName = 'is_over'

export const loop: Convert = given => {
  const { conversion, data } = given
  noteMessages(given)
  const scope = new Scope(conversion, { outer: given.scope, container: given.node })
  const id = conversion.options.mintId()
  const variables = recordsAt(data, 'loop_variables').map(each => textAt(each, 'label'))
  const assigned = variables.filter(name => conversion.isAssigned(given.node, name))
  const ends = conversion.app.nodes.filter(
    ({ parentId, type }) => parentId === given.node.id && type === 'loop-end',
  )
  const conditions = breakConditions(given, variables)
  const child = given.buildInner(scope, {
    id,
    name: childName(given),
    input: { title: 'Input' },
    first: assigned.length > 0 ? [takeVariables(given, assigned)] : [],
    outputs: () => ({
      ...Object.fromEntries(
        assigned.map(name => [name, `{{#${loopVariable(conversion, given.node, name).join('.')}#}}`]),
      ),
      ...Object.fromEntries(
        conditions.inner.map(([name, selector]) => [name, scope.value(given.node, selector)]),
      ),
      ...(ends.length > 0 && {
        [overName]: ends.map(each => `{{#${conversion.idOf(each)}.text#}}`).join(''),
      }),
    }),
  })
  conversion.children.push(child)
  const isOver = ends.length > 0 ? [{ left: `{{#loop.${overName}#}}`, op: 'not_empty' }] : []
  const isAll = textAt(data, 'logical_operator') !== 'or' && conditions.when.length > 1
  if (isAll && isOver.length > 0) given.note('loop_ends_by_any')
  const when = [...conditions.when, ...isOver]
  return asTool({
    type: 'loop',
    workflow_id: id,
    ...passedInputs(scope),
    ...(variables.length > 0 && { variables: initialValues(given) }),
    ...(when.length > 0 && { until: { match: isAll && isOver.length === 0 ? 'all' : 'any', when } }),
    max_rounds: Math.min(Math.max(Math.round(numberAt(data, 'loop_count') ?? 10), 1), 100),
  })
}

/** A node at the start of a round that puts variables into memory, which nodes of the round assign. */
const takeVariables = (given: NodeConversion, names: readonly string[]): GraphNode =>
  node(given.newId('variables'), 'base', {
    type: 'variable',
    title: 'Variables',
    assign: Object.fromEntries(
      names.map(name => [loopVariable(given.conversion, given.node, name)[1], `{{#sys.inputs.${name}#}}`]),
    ),
  })

function initialValues(given: NodeConversion): JsonRecord {
  const values = recordsAt(given.data, 'loop_variables').map(each => {
    const value = valueAt(each, 'value')
    if (textAt(each, 'value_type') === 'variable') return [textAt(each, 'label'), given.value(value)]
    return [textAt(each, 'label'), typedValue(value, textAt(each, 'var_type') || 'string')]
  })
  return Object.fromEntries(values)
}

/** The conditions that end a loop. Outputs of inner nodes in them become outputs of the round. */
function breakConditions(given: NodeConversion, variables: readonly string[]) {
  const { conversion, data, node: container } = given
  const inner: [name: string, selector: readonly string[]][] = []
  const when = recordsAt(data, 'break_conditions').map(condition => {
    const selector = textsAt(condition, 'variable_selector')
    const [owner = '', ...path] = selector
    const isVariable = owner === container.id && variables.includes(path[0] ?? '')
    const isInner = conversion.nodes.get(owner)?.parentId === container.id
    if (!isVariable && !isInner) return clauseOf(given, condition, [])
    const name = isVariable ? path.join('.') : selector.map(asText).join('_')
    if (isInner) inner.push([name, selector])
    const { left: _, ...rest } = clauseOf(given, { ...condition, variable_selector: ['sys', 'query'] }, [])
    return { left: `{{#loop.${name}#}}`, ...rest }
  })
  return { when, inner }
}

/** Its output exists only if it ran, and then ends the loop. */
export const loopEnd: Convert = () => asBase({ type: 'template', template: 'yes' })
