import { UniqueNames } from '../../../kernel/unique-names.ts'
import type { GraphNode } from '../../../workflow/graph.ts'
import type { JsonRecord } from '../../../workflow/json-record.ts'
import type { DifyNode } from '../app.ts'
import { node } from '../conversion.ts'
import type { Use } from '../outputs.ts'
import { flagAt, namedIn, numberAt, recordsAt, textAt, typedValue, valueAt } from '../read.ts'
import { loopVariable, Scope } from '../scope.ts'
import { asBase, asTool, type Convert, NodeConversion, Unmapped } from './kind.ts'
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

const variablesOf = ({ data }: DifyNode): string[] =>
  recordsAt(data, 'loop_variables').map(each => textAt(each, 'label'))

/** The output by which a round ends the loop. */
const overName = 'is_over'

export const loop: Convert = given => {
  const { conversion, data } = given
  noteMessages(given)
  const scope = new Scope(conversion, { outer: given.scope, container: given.node })
  const id = conversion.options.mintId()
  const variables = variablesOf(given.node)
  const assigned = variables.filter(name => conversion.isAssigned(given.node, name))
  const ends = conversion.app.nodes.filter(
    ({ parentId, type }) => parentId === given.node.id && type === 'loop-end',
  )
  const before: GraphNode[] = []
  const conditions = endConditions(given, before)
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
  const settings = {
    type: 'loop',
    workflow_id: id,
    ...passedInputs(scope),
    ...(variables.length > 0 && { variables: initialValues(given) }),
    ...(when.length > 0 && { until: { match: isAll && isOver.length === 0 ? 'all' : 'any', when } }),
    max_rounds: Math.min(Math.max(Math.round(numberAt(data, 'loop_count') ?? 10), 1), 100),
  }
  return asTool(settings, before)
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

/** The references of the conditions that end a loop, which are read after each round. */
class EndScope extends Scope {
  readonly #around: Scope
  readonly #loop: DifyNode
  /** Outputs of inner nodes, by the names that they get as outputs of the round. */
  readonly inner = new Map<string, readonly string[]>()
  readonly #names: UniqueNames

  constructor({ scope, node: loop }: NodeConversion) {
    super(scope.conversion)
    this.#around = scope
    this.#loop = loop
    this.#names = new UniqueNames([...variablesOf(loop), overName])
  }

  override path(user: DifyNode, selector: readonly string[], use: Use): string | undefined {
    const [owner = '', ...rest] = selector
    const { id } = this.#loop
    const isVariable = owner === id && variablesOf(this.#loop).includes(rest[0] ?? '')
    if (owner === id) return isVariable ? ['loop', ...rest].join('.') : undefined
    if (this.conversion.nodes.get(owner)?.parentId !== id) return this.#around.path(user, selector, use)
    const name = this.#names.nameOf(selector.join('.'), selector.join('_'))
    this.inner.set(name, selector)
    return `loop.${name}`
  }
}

/** The conditions that end a loop; nodes for lists from outside are added before it. */
function endConditions(given: NodeConversion, before: GraphNode[]) {
  const scope = new EndScope(given)
  const after = new NodeConversion(given.node, scope, given.buildInner)
  const when = recordsAt(given.data, 'break_conditions').map(condition => clauseOf(after, condition, before))
  // A node before the loop cannot filter a list of a round.
  if (before.some(({ data }) => String(data['items']).startsWith('{{#loop.')))
    throw new Unmapped('no_list_comparison', { comparison: 'contains' })
  return { when, inner: [...scope.inner] }
}

/** Its output exists only if it ran, and then ends the loop. */
export const loopEnd: Convert = () => asBase({ type: 'template', template: 'yes' })
