import assert from 'node:assert/strict'
import test from 'node:test'
import { atOnce } from '../../src/kernel/slices.ts'
import { nodeKinds } from '../../src/nodes/registry.ts'
import type { Graph, GraphNode } from '../../src/workflow/graph.ts'
import { refuseGraph } from '../../src/workflow/refuse-graph.ts'
import { warnGraph } from '../../src/workflow/warn-graph.ts'
import { edge, furtherNodes, graph, node } from './graphs.ts'

const say = (id: string, answer: string): GraphNode => node(id, 'output', { answer })

/** input → the given nodes in a chain → end. */
function chain(...nodes: GraphNode[]): Graph {
  const all = [node('input', 'input'), ...nodes, node('end', 'end')]
  return graph(
    all,
    all.slice(1).map((next, index) => edge(all[index]!.id, next.id)),
  )
}

function warn(value: Graph): [rule: string, place: string][] {
  assert.deepEqual(atOnce(refuseGraph(value, nodeKinds, '')), [])
  return atOnce(warnGraph(value, nodeKinds, '')).map(({ rule, path }) => [rule, path.replace('/nodes/', '')])
}

test('accepts a graph of the kinds that need no model as complete', () =>
  assert.deepEqual(warn(chain(...furtherNodes())), []))

/** The same JSON with each text that has a reference replaced, and the pointers to those texts. */
function spoil(value: unknown, pointer: string, places: string[]): unknown {
  if (typeof value === 'string') {
    if (!value.includes('{{#')) return value
    places.push(pointer)
    return '{{#ghost.text#}}'
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, member]) => [
    key,
    spoil(member, `${pointer}/${key}`, places),
  ])
  return Array.isArray(value) ? entries.map(([, member]) => member) : Object.fromEntries(entries)
}

test('finds references anywhere in conditions, lists, dictionaries and trees', () => {
  const places: string[] = []
  const nodes = furtherNodes().map(({ data, ...rest }, index) => ({
    ...rest,
    data: spoil(data, `${index + 1}/data`, places) as GraphNode['data'],
  }))
  assert.ok(places.includes('2/data/cases/0/when/1/left') && places.includes('4/data/body/words/0'))
  const found = warn(chain(...nodes))
  assert.deepEqual(found.map(([, place]) => place).sort(), places.sort())
  assert.deepEqual(new Set(found.map(([rule]) => rule)), new Set(['reference_unknown_node']))
})

test('accepts references to the outputs of each kind, and warns about others', () => {
  const outputs: Record<string, string[]> = {
    input: ['query', 'text', 'result', 'files', 'inputs'],
    find: ['result', 'items', 'text'],
    choose: ['case'],
    write: ['text', 'result'],
    call: ['status', 'headers', 'text', 'result'],
    remember: ['result'],
    each: ['result', 'errors'],
    ask: ['answer', 'text', 'result'],
    act: ['content', 'result', 'text'],
    join: ['result', 'text', 'both'],
    pick: ['result', 'first', 'last', 'count'],
    again: ['result', 'rounds', 'text', 'draft'],
    read: ['text', 'result', 'texts', 'files'],
    render: ['text', 'result'],
  }
  for (const [id, names] of Object.entries(outputs)) {
    const all = names.map(name => `{{#${id}.${name}.0#}}`).join('')
    assert.deepEqual(warn(chain(...furtherNodes(), say('last', all))), [], id)
    const wrong = warn(chain(...furtherNodes(), say('last', `{{#${id}.ghost#}}`)))
    assert.deepEqual(wrong, [['reference_unknown_output', `${furtherNodes().length + 1}/data/answer`]], id)
  }
  assert.deepEqual(warn(chain(...furtherNodes(), say('last', '{{#other.anything#}}'))), [])
})

test('reports missing required settings of each kind', () => {
  const missing: Record<string, string[]> = {
    knowledge_retrieval: ['query', 'knowledge_ids'],
    condition: ['cases'],
    template: ['template'],
    http_request: ['url'],
    variable: ['assign'],
    iteration: ['items', 'workflow_id'],
    workflow: ['workflow_id'],
    question: ['question'],
    action: ['content'],
    aggregator: ['values'],
    list: ['items'],
    loop: ['workflow_id'],
    document_extractor: ['files'],
  }
  for (const [kind, fields] of Object.entries(missing))
    assert.deepEqual(
      warn(chain(node('x', kind))),
      fields.map(field => ['missing_setting', `1/data/${field}`]),
      kind,
    )
})

test('reports invalid settings, also nested ones', () => {
  const cases = [{ id: 'a', when: [{ left: 'x', op: 'resembles', right: 'y' }] }, { id: 'a' }]
  assert.deepEqual(warn(chain(node('x', 'condition', { cases }))), [
    ['missing_setting', '1/data/cases/0/when/0/op'],
    ['missing_setting', '1/data/cases/1/id'],
  ])
  const assign = { 'a.b/c': 1 }
  assert.deepEqual(warn(chain(node('x', 'variable', { assign }))), [
    ['missing_setting', '1/data/assign/a.b~1c'],
  ])
})

test('rejects a known field of the wrong type at its path', () => {
  const wrong: [kind: string, data: Record<string, unknown>, place: string][] = [
    ['knowledge_retrieval', { knowledge_ids: ['a', 5] }, 'knowledge_ids/1'],
    ['knowledge_retrieval', { top_k: '5' }, 'top_k'],
    ['condition', { cases: [{ id: 'a', when: [{ op: 1 }] }] }, 'cases/0/when/0/op'],
    ['condition', { cases: { a: 1 } }, 'cases'],
    ['http_request', { headers: { 'X-A': 1 } }, 'headers/X-A'],
    ['variable', { assign: [] }, 'assign'],
    ['iteration', { parallel: '2' }, 'parallel'],
    ['workflow', { inputs: 'x' }, 'inputs'],
    ['workflow', { speaks: 'yes' }, 'speaks'],
    ['question', { options: [1] }, 'options/0'],
    ['aggregator', { groups: [{ name: 1 }] }, 'groups/0/name'],
    ['list', { sort: { field: 1 } }, 'sort/field'],
    ['loop', { until: { when: {} } }, 'until/when'],
    ['template', { inputs: [] }, 'inputs'],
  ]
  for (const [kind, data, place] of wrong)
    assert.deepEqual(
      atOnce(refuseGraph(graph([node('x', kind, data)]), nodeKinds, '')).map(({ path }) => path),
      [`/nodes/0/data/${place}`],
    )
})

const branches = (cases: unknown[], answer: string): Graph =>
  graph(
    [
      node('input', 'input'),
      node('if', 'condition', { cases }),
      say('a', 'a'),
      say('b', 'b'),
      say('both', 'both'),
      say('side', 'side'),
      say('join', answer),
      node('end', 'end'),
    ],
    [
      edge('input', 'if'),
      edge('if', 'a', 'yes'),
      edge('if', 'b', 'no'),
      edge('a', 'both'),
      edge('b', 'both'),
      edge('input', 'side'),
      edge('both', 'join'),
      edge('side', 'join'),
      edge('join', 'end'),
    ],
  )

test('treats a node that all cases lead to as certain if there is an else', () => {
  const when = [{ left: '{{#sys.query#}}', op: 'empty' }]
  const withElse = [{ id: 'yes', when }, { id: 'no' }]
  const withoutElse = [
    { id: 'yes', when },
    { id: 'no', when },
  ]
  const skipped = [['reference_may_be_skipped', '6/data/answer']]
  assert.deepEqual(warn(branches(withElse, '{{#both.text#}}')), [])
  assert.deepEqual(warn(branches(withElse, '{{#a.text#}}')), skipped)
  assert.deepEqual(warn(branches(withoutElse, '{{#both.text#}}')), skipped)
  assert.deepEqual(
    warn(branches([...withElse.slice(0, 1), { id: 'maybe', when }, { id: 'no' }], '{{#both.text#}}')),
    skipped,
  )
})

test('an aggregator may refer to nodes that a run skips', () => {
  const cases = [{ id: 'yes', when: [{ left: '{{#sys.query#}}', op: 'empty' }] }, { id: 'no' }]
  const joined = branches(cases, '{{#both.text#}}')
  const join = node('join', 'aggregator', { values: ['{{#a.text#}}', '{{#b.text#}}'] })
  const nodes = joined.nodes.map(each => (each.id === 'join' ? join : each))
  assert.deepEqual(warn({ ...joined, nodes }), [])
  const elsewhere = node('join', 'aggregator', { values: ['{{#end.text#}}'] })
  const wrong = joined.nodes.map(each => (each.id === 'join' ? elsewhere : each))
  assert.equal(warn({ ...joined, nodes: wrong })[0]?.[0], 'reference_not_before')
})

test('loop values are known in the condition of a loop only, also beside a node of that name', () => {
  const when = [{ left: '{{#loop.anything#}}', op: 'equals', right: '{{#loop.index#}}' }]
  const again = (id: string, more: object) =>
    node(id, 'loop', { workflow_id: 'wf_1', until: { when }, ...more })
  assert.deepEqual(warn(chain(again('again', {}))), [])
  assert.deepEqual(warn(chain(again('loop', {}), say('x', '{{#loop.rounds#}}'))), [])
  assert.deepEqual(warn(chain(again('again', { inputs: { x: '{{#loop.index#}}' } }))), [
    ['reference_unknown_node', '1/data/inputs/x'],
  ])
  const malformed = { when: [{ left: '{{#loop#}}', op: 'empty' }] }
  assert.deepEqual(warn(chain(again('again', { until: malformed }))), [
    ['reference_malformed', '1/data/until/when/0/left'],
  ])
})

test('a reference in a Jinja2 template is a gap, because it would not be replaced', () => {
  const written = { syntax: 'jinja2', template: 'Dear {{#sys.user_id#}}' }
  assert.deepEqual(warn(chain(node('x', 'template', written))), [['missing_setting', '1/data/template']])
})
