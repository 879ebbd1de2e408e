import assert from 'node:assert/strict'
import test from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { atOnce } from '../../src/kernel/slices.ts'
import { nodeKinds } from '../../src/nodes/registry.ts'
import type { Graph, GraphEdge, GraphNode } from '../../src/workflow/graph.ts'
import { refuseGraph } from '../../src/workflow/refuse-graph.ts'
import { warnGraph } from '../../src/workflow/warn-graph.ts'
import { isRunnable, type Warning, type WarningRule } from '../../src/workflow/warning.ts'
import { withBranching } from './branching-kind.ts'
import { edge, extractorKind, graph, node, orderingGraph } from './graphs.ts'

const kinds = withBranching(nodeKinds)

function warn(value: Graph): Warning[] {
  assert.deepEqual(atOnce(refuseGraph(value, kinds, '/workflow')), [])
  return atOnce(warnGraph(value, kinds, '/workflow'))
}

/** input → the given nodes in a chain → end. */
function chain(...nodes: GraphNode[]): Graph {
  const all = [node('input', 'input'), ...nodes, node('end', 'end')]
  const edges: GraphEdge[] = all.slice(1).map((next, index) => edge(all[index]!.id, next.id))
  return graph(all, edges)
}

const say = (id: string, answer: string): GraphNode => node(id, 'output', { answer })

function assertOne(warnings: Warning[], rule: WarningRule, path: string, message: RegExp): void {
  assert.deepEqual(
    warnings.map(warning => [warning.rule, warning.path]),
    [[rule, path]],
  )
  assert.match(warnings[0]!.message, message)
  assert.equal(warnings[0]!.blocking, rule !== 'reference_may_be_skipped')
  assert.equal(isRunnable(warnings), rule === 'reference_may_be_skipped')
}

test('reports no warnings for a complete graph of all six kinds, which is runnable', () => {
  assert.deepEqual(warn(orderingGraph()), [])
  assert.equal(isRunnable([]), true)
})

test('reports a missing input and end for an empty graph', () =>
  assert.deepEqual(
    warn(graph([])).map(({ rule, path }) => [rule, path]),
    [
      ['no_input', '/workflow/nodes'],
      ['no_end', '/workflow/nodes'],
    ],
  ))

test('warns about a missing input node, and not about every node as unreachable', () =>
  assertOne(warn(graph([say('a', 'hi'), node('end', 'end')])), 'no_input', '/workflow/nodes', /"input"/))

test('warns about a missing end node', () =>
  assertOne(warn(graph([node('input', 'input')])), 'no_end', '/workflow/nodes', /"end"/))

test('reports a cycle with its nodes, at the edge that closes it', () => {
  const { nodes, edges } = chain(say('a', 'x {{#b.text#}} {{#a.text#}}'), say('b', 'y'), say('c', 'z'))
  const warnings = warn(graph([...nodes], [...edges, edge('c', 'a')]))
  assert.equal(warnings.length, 1)
  assert.equal(warnings[0]!.rule, 'cycle')
  assert.match(warnings[0]!.path, /^\/workflow\/edges\/[124]$/)
  for (const id of ['"a"', '"b"', '"c"']) assert.ok(warnings[0]!.message.includes(id))
  assert.ok(!warnings[0]!.message.includes('"input"'))
})

test('keeps the message about a long cycle short', () => {
  const nodes = Array.from({ length: 500 }, (_, index) => say(`node ${index}`, 'x'))
  const { nodes: all, edges } = chain(...nodes)
  const [warning] = warn(graph([...all], [...edges, edge('node 499', 'node 0')]))
  assert.equal(warning!.rule, 'cycle')
  assert.ok(warning!.message.length < 400)
  assert.match(warning!.message, /490 more/)
})

test('warns about each node that is unreachable from an input', () => {
  const { nodes, edges } = chain(say('a', 'x'))
  const lost = [say('b', 'y'), say('c', '{{#b.text#}}')]
  assert.deepEqual(
    warn(graph([...nodes, ...lost], [...edges, edge('b', 'c')])).map(({ rule, path, blocking }) => [
      rule,
      path,
      blocking,
    ]),
    [
      ['unreachable', '/workflow/nodes/3', true],
      ['unreachable', '/workflow/nodes/4', true],
    ],
  )
})

test('warns about a malformed reference at its field', () =>
  assertOne(
    warn(chain(say('a', '{{#input#}}'))),
    'reference_malformed',
    '/workflow/nodes/1/data/answer',
    /\{\{#input#\}\}/,
  ))

test('warns about a reference without its marks, which is no error', () => {
  const found = warn(chain(say('a', '{{sys.query}} {{ input.query }} {{other.x}} {{sys.nope}} {{name}}')))
  assert.deepEqual(
    found.map(({ rule, path, blocking }) => [rule, path, blocking]),
    [1, 2].map(() => ['reference_unmarked', '/workflow/nodes/1/data/answer', false]),
  )
  assert.match(found[0]!.message, /\{\{#sys\.query#\}\}/)
})

test('warns about a reference to a missing node', () =>
  assertOne(
    warn(chain(node('a', 'llm', { prompt_template: '{{#ghost.text#}}' }))),
    'reference_unknown_node',
    '/workflow/nodes/1/data/prompt_template',
    /ghost/,
  ))

test('does not mistake names of inherited properties for nodes or outputs', () => {
  const warnings = warn(chain(say('a', '{{#constructor.name#}} {{#input.__proto__#}} {{#sys.toString#}}')))
  assert.deepEqual(
    warnings.map(({ rule }) => rule),
    ['reference_unknown_node', 'reference_unknown_output', 'reference_unknown_output'],
  )
})

test('warns about a reference to a later or parallel node', () => {
  assertOne(
    warn(chain(say('a', '{{#b.text#}}'), say('b', 'x'))),
    'reference_not_before',
    '/workflow/nodes/1/data/answer',
    /"b" does not run before/,
  )
  const { nodes, edges } = chain(say('a', 'x'))
  const beside = [edge('input', 'b'), edge('b', 'end')]
  assertOne(
    warn(graph([...nodes, say('b', '{{#a.text#}}')], [...edges, ...beside])),
    'reference_not_before',
    '/workflow/nodes/3/data/answer',
    /"a"/,
  )
})

test('warns once about a reference of a node to itself', () =>
  assertOne(
    warn(chain(say('a', '{{#a.text#}}{{#a.text#}}'))),
    'reference_not_before',
    '/workflow/nodes/1/data/answer',
    /its own node/,
  ))

const branches = (answer: string): Graph =>
  graph(
    [
      node('input', 'input'),
      node('if', 'branch', { cases: ['yes', 'no'] }),
      say('a', 'x'),
      say('b', 'y'),
      say('join', answer),
      node('end', 'end'),
    ],
    [
      edge('input', 'if'),
      edge('if', 'a', 'yes'),
      edge('if', 'b', 'no'),
      edge('a', 'join'),
      edge('b', 'join'),
      edge('join', 'end'),
    ],
  )

test('warns about a reference to a node of one branch after the join, but keeps the graph runnable', () => {
  assertOne(
    warn(branches('{{#a.text#}}{{#if.case#}}')),
    'reference_may_be_skipped',
    '/workflow/nodes/4/data/answer',
    /empty text.*"a"/,
  )
})

test('warns about a reference to a missing output and lists the existing ones', () => {
  const path = '/workflow/nodes/2/data/answer'
  const model = node('model', 'llm', { prompt_template: 'x' })
  assertOne(
    warn(chain(model, say('a', '{{#model.texts#}}'))),
    'reference_unknown_output',
    path,
    /"text", "result"/,
  )
  const object = say('a', '{{#model.object.list.0#}}')
  assertOne(warn(chain(model, object)), 'reference_unknown_output', path, /"text"/)
  const schema = { type: 'object', properties: { list: { type: 'array' } } }
  const structured = node('model', 'llm', { prompt_template: 'x', json_schema: schema })
  assert.deepEqual(warn(chain(structured, object)), [])
})

test('knows the outputs of an extractor: its parameters, result and text', () => {
  const parameters = [{ name: '杯型.大小', type: 'string' }]
  const extractor = node('ask', extractorKind, { parameters })
  assert.deepEqual(
    warn(chain(extractor, say('a', '{{#ask.杯型.大小#}}{{#ask.result.x#}}{{#ask.text#}}'))),
    [],
  )
  assertOne(
    warn(chain(extractor, say('a', '{{#ask.杯型#}}'))),
    'reference_unknown_output',
    '/workflow/nodes/2/data/answer',
    /杯型\.大小/,
  )
})

test('warns about a reference to an end node, which has no outputs', () => {
  const { nodes, edges } = chain(node('close', 'end'), say('a', '{{#close.result#}}'))
  assertOne(
    warn(graph([...nodes], [...edges])),
    'reference_unknown_output',
    '/workflow/nodes/2/data/answer',
    /none/,
  )
})

test('knows the names of sys, and accepts any name of memory', () => {
  assertOne(
    warn(chain(say('a', '{{#sys.weather#}}{{#sys.query#}}{{#sys.files.0#}}{{#memory.anything#}}'))),
    'reference_unknown_output',
    '/workflow/nodes/1/data/answer',
    /"weather".*query, files/,
  )
})

test('checks references in every template field', () => {
  const bad = '{{#ghost.text#}}'
  const nodes = [
    node('model', 'llm', { prompt_template: bad, title: bad }),
    say('speak', bad),
    node('search', 'web_search', { query: bad }),
    node('ask', extractorKind, { parameters: [{ name: 'x', type: 'string' }], instruction: bad, role: bad }),
  ]
  assert.deepEqual(
    warn(chain(...nodes)).map(({ path }) => path),
    ['1/data/prompt_template', '2/data/answer', '3/data/query', '4/data/instruction', '4/data/role'].map(
      place => `/workflow/nodes/${place}`,
    ),
  )
})

test('warns about an unknown kind, and accepts any reference to it', () => {
  const path = '/workflow/nodes/1/data/type'
  assertOne(
    warn(chain(node('x', 'telepathy'), say('a', '{{#x.thought#}}'))),
    'unknown_kind',
    path,
    /"telepathy"/,
  )
  const bare = { id: 'x', type: 'base', data: {} }
  assertOne(warn(chain(bare)), 'unknown_kind', path, /no data\.type/)
  assertOne(warn(chain(node('x', '__proto__'))), 'unknown_kind', path, /__proto__/)
})

test('warns about a required setting that is missing or blank', () => {
  const cases: [string, string][] = [
    ['llm', 'prompt_template'],
    ['web_search', 'query'],
    [extractorKind, 'parameters'],
  ]
  for (const [kind, field] of cases) {
    const blank = field === 'parameters' ? [] : ' \n'
    const path = `/workflow/nodes/1/data/${field}`
    for (const data of [{}, { [field]: blank }]) {
      assertOne(warn(chain(node('x', kind, data))), 'missing_setting', path, new RegExp(`"x".*"${field}"`))
    }
  }
})

test('warns about an output with neither a text nor files', () => {
  const path = '/workflow/nodes/1/data/answer'
  for (const data of [{}, { answer: ' \n', file_list: [] }])
    assertOne(warn(chain(node('x', 'output', data))), 'missing_setting', path, /message, or the files/)
})

test('warns about a select parameter without options and a parameter without a name', () => {
  const parameters = [
    { name: 'a', type: 'select', options: { x: 'x' } },
    { name: 'b', type: 'select', options: {} },
    { name: 'c', type: 'select' },
    { name: 'd', type: 'date' },
    { type: 'date' },
  ]
  assert.deepEqual(
    warn(chain(node('ask', extractorKind, { parameters }))).map(({ rule, path }) => [rule, path]),
    ['1/options', '2/options', '4/name'].map(place => [
      'missing_setting',
      `/workflow/nodes/1/data/parameters/${place}`,
    ]),
  )
})

test('accepts an empty pointer', () =>
  assert.equal(atOnce(warnGraph(graph([]), kinds, ''))[0]!.path, '/nodes'))

test('checks the largest graph, with a reference from every node to every tenth before it', () => {
  const size = limits.graphNodes
  const id = (index: number) => (index === 0 ? 'input' : index === size - 1 ? 'end' : `node ${index}`)
  const nodes = Array.from({ length: size }, (_, index) => {
    if (index === 0) return node('input', 'input')
    if (index === size - 1) return node('end', 'end')
    if (index % 3 === 0) return node(id(index), 'branch', { cases: ['0', '1', '2', '3', '4'] })
    return say(id(index), `{{#node ${index - 1 - (index % 10)}.text#}}{{#input.text#}}`)
  })
  const edges: GraphEdge[] = []
  for (let index = 0; index < size - 1; index += 1) {
    for (let step = 1; step <= 5; step += 1) {
      const to = Math.min(index + step * step, size - 1)
      edges.push(edge(id(index), id(to), index % 3 === 0 ? String(step - 1) : `${step}`))
    }
  }
  const value = graph(nodes, edges)
  assert.ok(edges.length > 9_900 && edges.length <= limits.graphEdges)
  const rules = new Set(warn(value).map(({ rule }) => rule))
  assert.ok(rules.has('reference_may_be_skipped'))
  assert.ok(!rules.has('cycle') && !rules.has('unreachable'))
})

test('reports a blocking warning after any number of harmless ones', () => {
  const many = Array.from({ length: 100_001 }, (_, index) => `{{#a.text.${index}#}}`).join('')
  const warnings = atOnce(warnGraph(branches(`${many}{{#ghost.text#}}`), kinds, ''))
  assert.equal(isRunnable(warnings), false)
})

test('warns of a reference to a disabled node, and of nothing that such a node lacks', () => {
  const off = node('a', 'template', { template: '', disabled: true })
  const warnings = warn(chain(off, say('b', '{{#a.text#}}')))
  assert.deepEqual(
    warnings.map(({ rule, path, blocking }) => [rule, path, blocking]),
    [['reference_disabled', '/workflow/nodes/2/data/answer', false]],
  )
})

test('an error branch has the output error, and nodes after it may be skipped', () => {
  const risky = node('a', 'template', { template: 'x', on_error: 'branch' })
  const nodes = [
    node('input', 'input'),
    risky,
    say('b', 'y'),
    say('c', '{{#a.error.message#}}'),
    node('end', 'end'),
  ]
  const edges = [
    edge('input', 'a'),
    edge('a', 'b'),
    edge('a', 'c', 'error'),
    edge('b', 'end'),
    edge('c', 'end'),
  ]
  assert.deepEqual(warn(graph(nodes, edges)), [])
  const joined = graph(
    [...nodes, say('d', '{{#b.text#}}')],
    [...edges, edge('b', 'd'), edge('c', 'd'), edge('d', 'end')],
  )
  assertOne(warn(joined), 'reference_may_be_skipped', '/workflow/nodes/5/data/answer', /"b"/)
})

test('a node also has the outputs of its default', () => {
  const read = (value: unknown, name: string) =>
    warn(
      chain(
        node('a', 'variable', { assign: { x: 'y' }, on_error: { default: value } }),
        say('b', `{{#a.${name}#}}`),
      ),
    )
  assert.deepEqual(read({ note: 'x', result: {} }, 'note'), [])
  assert.deepEqual(read('sorry', 'text'), [])
  assert.deepEqual(read('{{#input.result#}}', 'any'), [], 'the value may be an object')
  const path = '/workflow/nodes/2/data/answer'
  assertOne(read({ note: 'x' }, 'nota'), 'reference_unknown_output', path, /"note"/)
})

test('warns of edges whose branch does not exist', () => {
  const cases = [{ id: 'yes', match: 'all', when: [{ left: 'a', op: 'equals', right: 'a' }] }, { id: 'no' }]
  const nodes = (more: object = {}) => [
    node('input', 'input'),
    node('a', 'condition', { cases, ...more }),
    say('b', 'y'),
    node('end', 'end'),
  ]
  const edges = [
    edge('input', 'a'),
    edge('a', 'b', 'maybe'),
    edge('a', 'b', 'yes'),
    edge('a', 'end', 'no'),
    edge('a', 'end', 'error'),
    edge('b', 'end', 'yes'),
  ]
  const found = warn(graph(nodes(), edges))
  assert.deepEqual(
    found.map(({ rule, path, blocking }) => [rule, path, blocking]),
    [1, 4, 5].map(place => ['branch_unknown', `/workflow/edges/${place}/data/case`, false]),
  )
  assert.match(found[0]!.message, /"a" has no branch "maybe".* It has "yes", "no"/)
  const handled = warn(graph(nodes({ on_error: 'branch' }), edges.slice(2, 5).concat(edges[0]!)))
  assert.deepEqual(
    handled.filter(({ rule }) => rule === 'branch_unknown'),
    [],
  )
})
