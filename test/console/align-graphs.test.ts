import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { alignGraphs } from '../../console/src/editor/model/align-graphs.ts'
import { applyEdit } from '../../console/src/editor/model/apply-edit.ts'
import type { Edit } from '../../console/src/editor/model/edit.ts'
import { edgeKey, type Graph, makeEdge } from '../../console/src/editor/model/graph.ts'
import { mergeGraphs } from '../../console/src/editor/model/merge-graphs.ts'
import { anyDrawing, anyEdit, chain, node } from './drawings.ts'

const base = chain('input', 'b', 'end')
const after = (graph: Graph, ...edits: Edit[]): Graph =>
  edits.reduce(applyEdit, { graph, positions: {} }).graph
const merge = (one: Graph, other: Graph) => {
  const { base: began, mine, theirs, renamed } = alignGraphs(base, one, other)
  return { ...mergeGraphs(began, mine, theirs), renamed }
}
const place = { x: 0, y: 0 }
const idsOf = (graph: Graph) => graph.nodes.map(({ id }) => id)
const keysOf = (graph: Graph) => new Set(graph.edges.map(edgeKey))

describe('a node that one side renamed', () => {
  const renamed = after(base, { type: 'node.rename', id: 'b', to: 'c' })
  const joined = after(
    base,
    { type: 'node.add', node: node('d', { prompt: '{{#b.text#}}' }), position: place },
    { type: 'edge.add', edge: makeEdge('b', 'd') },
    { type: 'node.change', id: 'b', data: { type: 'llm', title: 'Changed' } },
  )

  test('keeps the other side’s connections, references and edits, whichever side is mine', () => {
    for (const { graph, conflicts } of [merge(renamed, joined), merge(joined, renamed)]) {
      assert.deepEqual(conflicts, [])
      assert.deepEqual(new Set(idsOf(graph)), new Set(['input', 'c', 'end', 'd']))
      const edges = [makeEdge('input', 'c'), makeEdge('c', 'end'), makeEdge('c', 'd')]
      assert.deepEqual(keysOf(graph), new Set(edges.map(edgeKey)))
      const found = new Map(graph.nodes.map(({ id, data }) => [id, data]))
      assert.equal(found.get('d')?.['prompt'], '{{#c.text#}}')
      assert.equal(found.get('c')?.title, 'Changed')
    }
    assert.deepEqual(merge(renamed, joined).renamed, [])
    assert.deepEqual(merge(joined, renamed).renamed, [['b', 'c']])
  })

  test('is recognized by its edges if its settings changed too', () => {
    const changed = after(renamed, { type: 'node.change', id: 'c', data: { type: 'llm', model: 'x' } })
    const { graph, conflicts } = merge(changed, joined)
    assert.deepEqual(conflicts, [])
    assert.deepEqual(graph.nodes.find(({ id }) => id === 'c')?.data, {
      type: 'llm',
      model: 'x',
      title: 'Changed',
    })
  })

  test('is one node if both sides gave it the same new id', () => {
    const also = after(renamed, { type: 'node.add', node: node('d'), position: place })
    const { graph, conflicts } = merge(renamed, also)
    assert.deepEqual([conflicts, idsOf(graph)], [[], ['input', 'c', 'end', 'd']])
  })

  test('is a conflict if it may have been replaced by another node', () => {
    const replaced = after(
      base,
      { type: 'node.remove', id: 'b' },
      { type: 'node.add', node: node('c', { type: 'tool' }), position: place },
    )
    assert.deepEqual(
      merge(replaced, joined).conflicts.map(({ id }) => id),
      ['b'],
    )
  })

  test('is not removed by a side that removed the old id', () => {
    const removed = after(base, { type: 'node.remove', id: 'b' })
    assert.ok(idsOf(merge(renamed, removed).graph).includes('c'))
    assert.ok(idsOf(merge(removed, renamed).graph).includes('c'))
  })
})

test('an input that both sides added is merged into one', () => {
  const empty = chain('b')
  const [mine, theirs] = [chain('input', 'b'), after(chain('input', 'b', 'end'))]
  assert.deepEqual(alignGraphs(empty, mine, theirs).renamed, [])
})

test('aligned graphs are valid and keep every node, whatever two users did', () => {
  const edits = fc.array(anyEdit, { maxLength: 4 })
  fc.assert(
    fc.property(anyDrawing, edits, edits, (drawing, first, second) => {
      const mine = first.reduce(applyEdit, drawing).graph
      const theirs = second.reduce(applyEdit, drawing).graph
      const aligned = alignGraphs(drawing.graph, mine, theirs)
      for (const [was, is] of [
        [drawing.graph, aligned.base],
        [mine, aligned.mine],
        [theirs, aligned.theirs],
      ] as const) {
        assert.equal(new Set(idsOf(is)).size, was.nodes.length)
        assert.equal(is.edges.length, was.edges.length)
        for (const { source, target } of is.edges)
          assert.ok(idsOf(is).includes(source.cell) && idsOf(is).includes(target.cell))
      }
      const renamed = aligned.renamed.reduce(
        (graph, [id, to]) => after(graph, { type: 'node.rename', id, to }),
        mine,
      )
      assert.deepEqual(renamed, aligned.mine)
    }),
    { numRuns: 500 },
  )
})
