import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { applyEdit, invertEdit } from '../../console/src/editor/model/apply-edit.ts'
import type { Drawing, Edit } from '../../console/src/editor/model/edit.ts'
import { edgeKey, makeEdge } from '../../console/src/editor/model/graph.ts'
import { anyDrawing, anyEdit, chain, graphOf, node } from './drawings.ts'

const drawingOf = (graph: Drawing['graph'], positions: Drawing['positions'] = {}): Drawing => ({
  graph,
  positions,
})

describe('any edit of any drawing', () => {
  test('is reverted exactly by its inverse, including orders and unknown members', () => {
    fc.assert(
      fc.property(anyDrawing, anyEdit, (drawing, edit) => {
        const before = JSON.stringify(drawing)
        const after = applyEdit(drawing, edit)
        assert.equal(JSON.stringify(drawing), before)
        const back = applyEdit(after, invertEdit(drawing, edit))
        assert.equal(JSON.stringify(back), before)
      }),
      { numRuns: 500 },
    )
  })

  test('keeps ids and edges unique, edges between existing nodes, and positions of existing nodes', () => {
    fc.assert(
      fc.property(anyDrawing, fc.array(anyEdit, { maxLength: 6 }), (drawing, edits) => {
        const { graph, positions } = edits.reduce(applyEdit, drawing)
        const ids = new Set(graph.nodes.map(({ id }) => id))
        assert.equal(ids.size, graph.nodes.length)
        assert.equal(new Set(graph.edges.map(edgeKey)).size, graph.edges.length)
        for (const { source, target } of graph.edges) {
          assert.ok(ids.has(source.cell) && ids.has(target.cell))
          assert.equal(source.port, `out.${source.cell}`)
          assert.equal(target.port, `in.${target.cell}`)
        }
        for (const id of Object.keys(positions)) assert.ok(ids.has(id))
      }),
      { numRuns: 500 },
    )
  })
})

describe('an edit that does not apply', () => {
  const plain = chain('input', 'a', 'end')
  const graph = { ...plain, edges: [...plain.edges, makeEdge('a', 'end', 'yes')] }
  const drawing = drawingOf(graph, { a: { x: 1, y: 2 } })
  const inapplicable: Edit[] = [
    { type: 'node.add', node: node('a'), position: { x: 0, y: 0 } },
    { type: 'node.remove', id: 'gone' },
    { type: 'node.change', id: 'gone', data: {} },
    { type: 'node.rename', id: 'gone', to: 'b' },
    { type: 'node.rename', id: 'a', to: 'end' },
    { type: 'node.rename', id: 'a', to: '' },
    { type: 'edge.add', edge: makeEdge('input', 'a') },
    { type: 'edge.add', edge: makeEdge('a', 'gone') },
    { type: 'edge.remove', key: edgeKey(makeEdge('a', 'input')) },
    { type: 'edge.branch', key: 'none', branch: 'yes' },
    { type: 'edge.branch', key: edgeKey(makeEdge('a', 'end')), branch: 'yes' },
    { type: 'nodes.move', positions: { gone: { x: 1, y: 1 }, a: { x: 1, y: 2 } } },
    { type: 'many', edits: [] },
  ]
  for (const edit of inapplicable) {
    test(`returns the same drawing: ${JSON.stringify(edit).slice(0, 60)}`, () => {
      assert.equal(applyEdit(drawing, edit), drawing)
    })
  }
})

describe('a new id of a node', () => {
  const texts = {
    prompt: '{{#a.text#}} {{# a.list.0 #}} {{#a.b.c#}} {{#ab.text#}} {{#sys.a#}} {{#a#}} {{#if}} {{#a.x#}}',
    nested: [{ deep: 'see {{#a.text#}}' }],
    untouched: 'a.text',
  }
  const before = drawingOf(
    graphOf(
      [node('a', { id: 'a' }, { shape: 'round' }), node('a.b'), node('c', texts)],
      [makeEdge('a', 'c', 'yes'), makeEdge('a.b', 'c')],
    ),
    { a: { x: 1, y: 2 }, c: { x: 3, y: 4 } },
  )
  const { graph, positions } = applyEdit(before, { type: 'node.rename', id: 'a', to: 'new' })

  test('is applied to the texts that refer to it, and to no others', () => {
    assert.deepEqual(graph.nodes[2]!.data, {
      prompt:
        '{{#new.text#}} {{# new.list.0 #}} {{#a.b.c#}} {{#ab.text#}} {{#sys.a#}} {{#a#}} {{#if}} {{#new.x#}}',
      nested: [{ deep: 'see {{#new.text#}}' }],
      untouched: 'a.text',
    })
  })

  test('is applied to the edges with their ports, the position, and the id that its data repeats', () => {
    assert.deepEqual(graph.edges, [makeEdge('new', 'c', 'yes'), makeEdge('a.b', 'c')])
    assert.deepEqual(positions, { new: { x: 1, y: 2 }, c: { x: 3, y: 4 } })
    assert.deepEqual(graph.nodes[0], { id: 'new', type: 'base', data: { id: 'new' }, shape: 'round' })
  })

  test('leaves unrelated objects identical', () => {
    assert.equal(graph.nodes[1], before.graph.nodes[1])
    assert.equal(graph.edges[1], before.graph.edges[1])
  })

  test('keeps its own position, not one left over from an earlier node of that id', () => {
    const stale = drawingOf(chain('a'), { old: { x: 9, y: 9 }, a: { x: 1, y: 2 }, b: { x: 9, y: 9 } })
    const renamed = applyEdit(stale, { type: 'node.rename', id: 'a', to: 'b' })
    assert.deepEqual(renamed.positions['b'], { x: 1, y: 2 })
  })

  test('does not capture system references, even if a node has the same name', () => {
    const named = drawingOf(graphOf([node('sys'), node('b', { prompt: '{{#sys.query#}}' })]))
    const renamed = applyEdit(named, { type: 'node.rename', id: 'sys', to: 'c' })
    assert.equal(renamed.graph.nodes[1], named.graph.nodes[1])
  })

  test('is fast in a text full of dots and openings', () => {
    const prompt = `${'{{#'.repeat(50_000)}${'a.'.repeat(50_000)}x#}}`
    const long = drawingOf(graphOf([node('a'), node('a.a'), node('b', { prompt })]))
    const renamed = applyEdit(long, { type: 'node.rename', id: 'a.a', to: 'c' })
    assert.ok(String(renamed.graph.nodes[2]!.data['prompt']).includes('{{#c.a.a.'))
  })
})

test('removing the branch of an edge keeps its other data, and leaves no empty data', () => {
  const edge = { ...makeEdge('a', 'b', 'yes'), data: { case: 'yes', note: 1 } }
  const drawing = drawingOf(graphOf([node('a'), node('b'), node('c')], [edge, makeEdge('a', 'c', 'no')]))
  const plain = applyEdit(drawing, {
    type: 'many',
    edits: [
      { type: 'edge.branch', key: edgeKey(edge), branch: undefined },
      { type: 'edge.branch', key: edgeKey(makeEdge('a', 'c', 'no')), branch: undefined },
    ],
  })
  assert.deepEqual(plain.graph.edges, [{ ...makeEdge('a', 'b'), data: { note: 1 } }, makeEdge('a', 'c')])
})
