import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { applyEdit } from '../../console/src/editor/model/apply-edit.ts'
import { copyText, pasteEdit } from '../../console/src/editor/model/clipboard.ts'
import type { Drawing } from '../../console/src/editor/model/edit.ts'
import { edgeKey, makeEdge } from '../../console/src/editor/model/graph.ts'
import { anyDrawing, anyId, chain, graphOf, node } from './drawings.ts'

const offset = { x: 10, y: 20 }
const paste = (drawing: Drawing, text: string) => {
  const pasted = pasteEdit(drawing, text, offset)
  assert.ok(pasted)
  return { ...pasted, after: applyEdit(drawing, pasted.edit) }
}

describe('copied nodes', () => {
  const drawing: Drawing = {
    graph: graphOf(
      [
        node('input', { type: 'input' }),
        node('llm_1', { type: 'llm', prompt: '{{#input.query#}}', id: 'llm_1' }, { shape: 'round' }),
        node('out', { type: 'output', answer: ['{{#llm_1.text#}} {{#llm_10.text#}}'] }),
        node('llm_10', { type: 'llm' }),
      ],
      [makeEdge('input', 'llm_1'), makeEdge('llm_1', 'out', 'yes'), makeEdge('llm_10', 'out')],
    ),
    positions: { llm_1: { x: 1, y: 2 }, out: { x: 3, y: 4 } },
  }
  const { after, ids } = paste(drawing, copyText(drawing, ['out', 'llm_1']))
  const pasted = after.graph.nodes.slice(4)

  test('are numbered if their title is taken', () => {
    const titled = ['Output', 'Output 2', 'Report 2024', ''].map((title, at) => node(`n_${at}`, { title }))
    const { graph } = paste(
      { graph: graphOf(titled, []), positions: {} },
      copyText(
        { graph: graphOf(titled, []), positions: {} },
        titled.map(({ id }) => id),
      ),
    ).after
    assert.deepEqual(
      graph.nodes.slice(4).map(({ data }) => data.title),
      ['Output 3', 'Output 4', 'Report 2024 2', ''],
    )
  })

  test('are pasted with new ids, the edges between them, and shifted positions', () => {
    assert.deepEqual(ids, ['llm_11', 'output_1'])
    assert.deepEqual(
      pasted.map(({ id }) => id),
      ids,
    )
    assert.deepEqual(after.graph.edges.slice(3), [makeEdge('llm_11', 'output_1', 'yes')])
    assert.deepEqual(after.positions['llm_11'], { x: 11, y: 22 })
    assert.deepEqual(after.positions['output_1'], { x: 13, y: 24 })
  })

  test('refer to one another by the new ids, and to everything else as before', () => {
    assert.deepEqual(pasted[0], {
      id: 'llm_11',
      type: 'base',
      shape: 'round',
      data: { type: 'llm', prompt: '{{#input.query#}}', id: 'llm_11' },
    })
    assert.deepEqual(pasted[1]!.data['answer'], ['{{#llm_11.text#}} {{#llm_10.text#}}'])
  })

  test('contain no second input or end, and paste nothing when nothing else is left', () => {
    const whole: Drawing = { graph: chain('input', 'a', 'end'), positions: {} }
    const text = copyText(whole, ['input', 'a', 'end'])
    assert.deepEqual(paste(whole, text).ids, ['llm_1'])
    assert.equal(pasteEdit(whole, copyText(whole, ['input', 'end']), offset), undefined)
    const empty: Drawing = { graph: graphOf([]), positions: {} }
    const { after: copy, ids: all } = paste(empty, text)
    assert.deepEqual(all, ['input', 'llm_1', 'end'])
    assert.equal(copy.graph.edges.length, 2)
  })

  test('change no existing node, wherever they came from', () => {
    fc.assert(
      fc.property(anyDrawing, anyDrawing, fc.array(anyId), (from, to, selected) => {
        const result = pasteEdit(to, copyText(from, selected), offset)
        if (!result) return
        const { graph, positions } = applyEdit(to, result.edit)
        assert.deepEqual(graph.nodes.slice(0, to.graph.nodes.length), to.graph.nodes)
        assert.deepEqual(graph.edges.slice(0, to.graph.edges.length), to.graph.edges)
        assert.deepEqual(
          graph.nodes.slice(to.graph.nodes.length).map(({ id }) => id),
          result.ids,
        )
        assert.equal(new Set(graph.nodes.map(({ id }) => id)).size, graph.nodes.length)
        assert.equal(new Set(graph.edges.map(edgeKey)).size, graph.edges.length)
        for (const id of result.ids) assert.ok(Object.hasOwn(positions, id))
      }),
    )
  })
})

describe('a foreign text', () => {
  const drawing: Drawing = { graph: chain('input', 'end'), positions: {} }
  const valid = { format: 'banyan.nodes.1', nodes: [node('a')], edges: [], positions: {} }
  const nest = (levels: number): unknown => (levels === 0 ? 1 : [nest(levels - 1)])
  const garbage: [string, unknown][] = [
    ['is no JSON', 'banyan.nodes.1 {'],
    ['is of another format', { ...valid, format: 'other.nodes', note: 'banyan.nodes.1' }],
    ['has no nodes', { ...valid, nodes: undefined }],
    ['has a node without an id', { ...valid, nodes: [{ type: 'base', data: {} }] }],
    ['has a node without data', { ...valid, nodes: [{ id: 'a', type: 'base' }] }],
    ['has a kind that is no text', { ...valid, nodes: [node('a', { type: 1 as never })] }],
    ['has an id twice', { ...valid, nodes: [node('a'), node('a')] }],
    ['has an edge without ends', { ...valid, edges: [{}] }],
    [
      'has too many nodes',
      { ...valid, nodes: Array.from({ length: 1001 }, (_, index) => node(`n${index}`)) },
    ],
    ['is too deep', { ...valid, nodes: [node('a', { deep: nest(70) })] }],
    ['is too long', { ...valid, nodes: [node('a', { long: 'x'.repeat(5 << 20) })] }],
  ]
  for (const [label, value] of garbage) {
    test(`is not pasted when it ${label}`, () => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      assert.equal(pasteEdit(drawing, text, offset), undefined)
    })
  }

  test('is pasted without invalid positions and unknown members', () => {
    const odd = {
      ...valid,
      nodes: [node('a', { type: 'no kind.at all' })],
      positions: { a: { x: 'far', y: 1e99 } },
    }
    const { after, ids } = paste(drawing, JSON.stringify(odd))
    assert.deepEqual(ids, ['node_1'])
    assert.deepEqual(after.positions['node_1'], offset)
  })

  test('never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map(nodes => JSON.stringify({ ...valid, nodes })),
        ),
        text => {
          pasteEdit(drawing, text, offset)
        },
      ),
    )
  })

  test('cannot exceed the server’s limits for a graph', () => {
    const nodes = Array.from({ length: 1500 }, (_, index) => node(`n${index}`))
    const large: Drawing = { graph: graphOf(nodes), positions: {} }
    const ids = nodes.slice(0, 501).map(({ id }) => id)
    assert.equal(pasteEdit(large, copyText(large, ids), offset), undefined)
    assert.ok(pasteEdit(large, copyText(large, ids.slice(1)), offset))
  })
})
