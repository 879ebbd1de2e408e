import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { diffGraphs } from '../../console/src/editor/model/diff-graphs.ts'
import { edgeKey, makeEdge } from '../../console/src/editor/model/graph.ts'
import { sameJson } from '../../console/src/editor/model/same-json.ts'
import { anyGraph, graphOf, node } from './drawings.ts'

test('a difference lists the nodes, their fields, and the edges', () => {
  const before = graphOf(
    [node('a', { title: 'A', settings: { deep: { x: 1, y: 2 } }, list: [1, 2] }), node('b'), node('same')],
    [makeEdge('a', 'b'), makeEdge('a', 'same')],
  )
  const after = graphOf(
    [
      node('same'),
      node('a', { title: 'B', settings: { deep: { x: 1, y: 3 } }, list: [1], added: true }),
      node('c'),
    ],
    [makeEdge('a', 'same'), makeEdge('a', 'c', 'yes')],
  )
  const { nodes, edges, fields } = diffGraphs(before, { ...after, meta: 1 })
  assert.deepEqual(
    nodes.map(({ id, change }) => [id, change]),
    [
      ['a', 'changed'],
      ['b', 'removed'],
      ['c', 'added'],
    ],
  )
  assert.deepEqual(nodes[0]!.fields, [
    { path: ['data', 'title'], before: 'A', after: 'B' },
    { path: ['data', 'settings', 'deep', 'y'], before: 2, after: 3 },
    { path: ['data', 'list'], before: [1, 2], after: [1] },
    { path: ['data', 'added'], before: undefined, after: true },
  ])
  assert.deepEqual(
    edges.map(({ key, change }) => [key, change]),
    [
      [edgeKey(makeEdge('a', 'b')), 'removed'],
      [edgeKey(makeEdge('a', 'c', 'yes')), 'added'],
    ],
  )
  assert.deepEqual(fields, [{ path: ['meta'], before: undefined, after: 1 }])
})

test('an edge with the same ends and branch has changed if other members differ', () => {
  const edge = makeEdge('a', 'b')
  const before = graphOf([node('a'), node('b')], [edge])
  const { edges } = diffGraphs(before, { ...before, edges: [{ ...edge, label: 'new' }] })
  assert.deepEqual(edges, [{ key: edgeKey(edge), change: 'changed', edge: { ...edge, label: 'new' } }])
})

test('there is no difference if both are the same JSON except for the order', () => {
  fc.assert(
    fc.property(anyGraph, anyGraph, (one, other) => {
      const shuffled = { ...one, nodes: one.nodes.toReversed(), edges: one.edges.toReversed() }
      const none = { nodes: [], edges: [], fields: [] }
      assert.deepEqual(diffGraphs(one, shuffled), none)
      const { nodes, edges, fields } = diffGraphs(one, other)
      if (nodes.length + edges.length + fields.length === 0) {
        assert.equal(one.nodes.length, other.nodes.length)
        for (const node of one.nodes) assert.ok(other.nodes.some(same => sameJson(node, same)))
      }
    }),
  )
})

test('an undefined member is absent, and an inherited one is no field', () => {
  const [one, other] = [graphOf([node('a', { title: undefined })]), graphOf([node('a')])]
  assert.deepEqual(diffGraphs(one, other).nodes, [])
  const named = diffGraphs(other, graphOf([node('a', { constructor: 1 })])).nodes[0]!.fields
  assert.deepEqual(named, [{ path: ['data', 'constructor'], before: undefined, after: 1 }])
})
