import assert from 'node:assert/strict'
import test from 'node:test'
import type { Finding } from '../../src/contract/finding.ts'
import { limits } from '../../src/contract/limits.ts'
import { atOnce } from '../../src/kernel/slices.ts'
import { nodeKinds } from '../../src/nodes/registry.ts'
import { refuseGraph } from '../../src/workflow/refuse-graph.ts'
import { edge, extractorKind, graph, node, orderingGraph } from './graphs.ts'

const refuse = (value: unknown): Finding[] => atOnce(refuseGraph(value, nodeKinds, '/workflow'))

function assertOne(findings: Finding[], path: string, message: RegExp): void {
  assert.deepEqual(
    findings.map(finding => finding.path),
    [path],
  )
  assert.match(findings[0]!.message, message)
}

test('accepts a graph of all six kinds', () => assert.deepEqual(refuse(orderingGraph()), []))

test('accepts an empty graph', () => assert.deepEqual(refuse({ nodes: [], edges: [] }), []))

test('rejects a graph that is not an object', () => {
  for (const value of [null, undefined, 3, 'x', true, []]) assertOne(refuse(value), '/workflow', /an object/)
  assertOne(atOnce(refuseGraph(null, nodeKinds, '')), '', /null/)
})

test('rejects missing or invalid lists, without further findings about edges', () => {
  assert.deepEqual(
    refuse({}).map(({ path, message }) => [path, message.includes('missing')]),
    [
      ['/workflow/nodes', true],
      ['/workflow/edges', true],
    ],
  )
  assertOne(refuse({ nodes: { 0: {} }, edges: [edge('a', 'b')] }), '/workflow/nodes', /an object/)
})

test('rejects a node that is not an object', () =>
  assertOne(refuse({ nodes: ['input'], edges: [] }), '/workflow/nodes/0', /"input"/))

test('rejects a node without a string id, a string type or object data, each at its path', () => {
  const findings = refuse({ nodes: [{ id: 7, type: null, data: [] }, {}], edges: [] })
  assert.deepEqual(
    findings.map(({ path }) => path),
    ['id', 'type', 'data']
      .flatMap(name => [`/workflow/nodes/0/${name}`])
      .concat(['/workflow/nodes/1/id', '/workflow/nodes/1/type', '/workflow/nodes/1/data']),
  )
  assert.match(findings[0]!.message, /has 7/)
  assert.match(findings[3]!.message, /has nothing/)
})

test('rejects a node with an empty id', () =>
  assertOne(refuse(graph([node('', 'llm')])), '/workflow/nodes/0/id', /not empty/))

test('rejects a repeated node id, with the id and its first path', () =>
  assertOne(
    refuse(graph([node('a', 'llm'), node('b', 'llm'), node('a', 'llm')])),
    '/workflow/nodes/2/id',
    /"a".*\/workflow\/nodes\/0/,
  ))

test('rejects an edge that is not an object', () =>
  assertOne(refuse({ nodes: [], edges: [[]] }), '/workflow/edges/0', /a list/))

test('rejects edge ends that are not objects, and cells and ports that are not strings', () => {
  const nodes = [node('a', 'llm')]
  const edges = [{ source: 'a' }, { source: { cell: 1 }, target: { cell: 'a' } }]
  assert.deepEqual(
    refuse({ nodes, edges }).map(({ path }) => path),
    ['0/source', '0/target', '1/source/cell', '1/source/port', '1/target/port'].map(
      place => `/workflow/edges/${place}`,
    ),
  )
})

test('rejects an edge end that refers to a missing node, with the cell', () =>
  assertOne(
    refuse(graph([node('a', 'llm')], [edge('a', 'ghost')])),
    '/workflow/edges/0/target/cell',
    /"ghost"/,
  ))

test('does not mistake names of built-in properties for nodes', () => {
  const findings = refuse(graph([], [edge('__proto__', 'constructor')]))
  assert.deepEqual(
    findings.map(({ path }) => path),
    ['/workflow/edges/0/source/cell', '/workflow/edges/0/target/cell'],
  )
})

test('rejects a port that does not match its cell, with the expected value', () => {
  const wrong = { source: { cell: 'a', port: 'out.b' }, target: { cell: 'b', port: 'out.b' } }
  const findings = refuse({ nodes: [node('a', 'llm'), node('b', 'llm')], edges: [wrong] })
  assert.deepEqual(findings, [
    { path: '/workflow/edges/0/source/port', message: 'Must be "out.a", but is "out.b".' },
    { path: '/workflow/edges/0/target/port', message: 'Must be "in.b", but is "out.b".' },
  ])
})

test('rejects a duplicate edge, with the path of the first', () => {
  const nodes = [node('a', 'llm'), node('b', 'llm')]
  assertOne(
    refuse(graph(nodes, [edge('a', 'b'), edge('a', 'b')])),
    '/workflow/edges/1',
    /\/workflow\/edges\/0/,
  )
  assertOne(
    refuse(graph(nodes, [edge('a', 'b', 'x'), edge('b', 'a'), edge('a', 'b', 'x')])),
    '/workflow/edges/2',
    /"a" to "b"/,
  )
})

test('accepts edges of different cases between the same nodes', () => {
  const nodes = [node('a', 'llm'), node('b', 'llm')]
  const edges = [edge('a', 'b'), edge('a', 'b', ''), edge('a', 'b', 'x'), edge('a', 'b', 'null')]
  assert.deepEqual(refuse(graph(nodes, edges)), [])
})

test('rejects edge data that is not an object and a case that is not a string', () => {
  const nodes = [node('a', 'llm')]
  assertOne(refuse({ nodes, edges: [{ ...edge('a', 'a'), data: 'x' }] }), '/workflow/edges/0/data', /"x"/)
  assertOne(
    refuse({ nodes, edges: [{ ...edge('a', 'a'), data: { case: 1 } }] }),
    '/workflow/edges/0/data/case',
    /string.*1/,
  )
  assert.deepEqual(refuse({ nodes, edges: [{ ...edge('a', 'a'), data: { label: 1 } }] }), [])
})

test('reserves the ids "input" and "end" for their kinds', () => {
  assertOne(refuse(graph([node('input', 'llm')])), '/workflow/nodes/0/data/type', /"input".*"llm"/)
  assertOne(refuse(graph([node('end', 'output')])), '/workflow/nodes/0/data/type', /"end".*"output"/)
  assertOne(
    refuse({ nodes: [{ id: 'end', type: 'base', data: {} }], edges: [] }),
    '/workflow/nodes/0/data/type',
    /nothing/,
  )
  assert.deepEqual(refuse(graph([node('start', 'input'), node('close', 'end')])), [])
})

test('rejects an extractor whose data.id differs from the node id', () => {
  const path = '/workflow/nodes/0/data/id'
  assertOne(refuse(graph([node('a', extractorKind, { id: 'b' })])), path, /"a".*"b"/)
  assertOne(refuse(graph([node('a', extractorKind, { id: 5 })])), path, /"a".*5/)
  assert.deepEqual(refuse(graph([node('a', extractorKind)])), [])
  assert.deepEqual(refuse(graph([node('a', 'llm', { id: 'b' })])), [])
})

test('rejects a known field of a known kind with the wrong type at its path', () => {
  const cases: [string, string, unknown, RegExp][] = [
    ['llm', 'title', 1, /a string.*1/],
    ['end', 'desc', true, /a string.*true/],
    ['llm', 'prompt_template', ['x'], /a string.*a list/],
    ['llm', '数据源/API工具', {}, /an array.*an object/],
    ['output', 'answer', false, /a string.*false/],
    ['web_search', 'query', {}, /a string.*an object/],
    [extractorKind, 'parameters', {}, /an array/],
    [extractorKind, 'instruction', 1, /a string/],
    [extractorKind, 'role', 1, /a string/],
  ]
  for (const [kind, field, value, message] of cases) {
    const path = `/workflow/nodes/0/data/${field.replace('/', '~1')}`
    assertOne(refuse(graph([node('a', kind, { [field]: value })])), path, message)
  }
})

test('rejects a kind that is not a string; a missing one is a draft', () => {
  for (const type of [7, true, ['llm'], {}]) {
    const findings = refuse(graph([{ id: 'a', type: 'base', data: { type } }]))
    assertOne(findings, '/workflow/nodes/0/data/type', /a string such as "llm"/)
  }
  for (const data of [{}, { type: null }])
    assert.deepEqual(refuse(graph([{ id: 'a', type: 'base', data }])), [])
  const reserved = refuse(graph([{ id: 'end', type: 'base', data: { type: 7 } }]))
  assertOne(reserved, '/workflow/nodes/0/data/type', /kept for the kind "end"/)
})

test('rejects wrong types inside parameters at their paths', () => {
  const parameters = [
    { name: 'size', type: 'select', options: { 大杯: 1, 'a/b~c': null, 中杯: 'M' } },
    'sugar',
    { name: 1, type: 2, description: 3, options: [] },
  ]
  assert.deepEqual(
    refuse(graph([node('a', extractorKind, { parameters })])).map(({ path }) => path),
    ['0/options/大杯', '0/options/a~1b~0c', '1', '2/name', '2/type', '2/description', '2/options'].map(
      place => `/workflow/nodes/0/data/parameters/${place}`,
    ),
  )
})

test('ignores unknown kinds and unknown fields', () => {
  const nodes = [node('a', 'future', { title: 1, answer: 2 }), node('b', 'llm', { answer: 2, extra: null })]
  assert.deepEqual(refuse(graph(nodes)), [])
})

test('treats a key named __proto__ as plain data', () => {
  const text = `{"nodes":[{"__proto__":{"id":"a","type":"base","data":{}}},
    {"id":"__proto__","type":"base","data":{"type":"llm","__proto__":{"title":1}}},
    {"id":"b","type":"base","data":{"type":"constructor","title":1}}],"edges":[],"__proto__":{"x":1}}`
  assert.deepEqual(
    refuse(JSON.parse(text)).map(({ path }) => path),
    ['id', 'type', 'data'].map(name => `/workflow/nodes/0/${name}`),
  )
})

test('reports too many nodes or edges with one finding for the list', () => {
  const nodes = Array.from({ length: limits.graphNodes + 1 }, () => null)
  const edges = Array.from({ length: limits.graphEdges + 1 }, () => null)
  assert.deepEqual(
    refuse({ nodes, edges }).map(({ path }) => path),
    ['/workflow/nodes', '/workflow/edges'],
  )
  assertOne(refuse({ nodes, edges: [edge('a', 'b')] }), '/workflow/nodes', /at most 2000 nodes.*2001/)
  assertOne(refuse({ nodes: [], edges }), '/workflow/edges', /at most 10000 edges.*10001/)
})

test('reports all findings together, and clips long values between characters', () => {
  const long = '😀'.repeat(5000)
  const findings = refuse(
    graph([node('a', 'llm', { title: 1, desc: 2 })], [edge('a', long), edge(long, 'a')]),
  )
  assert.equal(findings.length, 4)
  for (const { message } of findings) {
    assert.ok(message.length < 300)
    assert.ok(message.isWellFormed())
    assert.ok(!message.includes('\\ud'))
  }
})
