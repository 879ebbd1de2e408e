import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { applyEdit } from '../../console/src/editor/model/apply-edit.ts'
import { edgeKey, type Graph, makeEdge } from '../../console/src/editor/model/graph.ts'
import { mergeGraphs, resolveMerge } from '../../console/src/editor/model/merge-graphs.ts'
import { anyDrawing, anyEdit, chain, graphOf, node } from './drawings.ts'

/** A graph, and the edits of two users. */
const anySides = fc
  .tuple(anyDrawing, fc.array(anyEdit, { maxLength: 4 }), fc.array(anyEdit, { maxLength: 4 }))
  .map(([drawing, mine, theirs]) => ({
    base: drawing.graph,
    mine: mine.reduce(applyEdit, drawing).graph,
    theirs: theirs.reduce(applyEdit, drawing).graph,
  }))

const byId = (graph: Graph) => new Map(graph.nodes.map(other => [other.id, other]))
const keysOf = (graph: Graph) => new Set(graph.edges.map(edgeKey))
const json = (value: unknown) => JSON.stringify(value)
const sorted = (graph: Graph) => ({
  ...graph,
  nodes: graph.nodes.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  edges: graph.edges.toSorted((one, other) => (edgeKey(one) < edgeKey(other) ? -1 : 1)),
})

describe('any merge', () => {
  test('with an unchanged side equals the other side', () => {
    fc.assert(
      fc.property(anySides, ({ base, mine }) => {
        const copy = structuredClone(base)
        assert.equal(json(mergeGraphs(base, mine, copy).graph), json(mine))
        assert.equal(json(mergeGraphs(base, copy, mine).graph), json(mine))
        assert.equal(mergeGraphs(base, mine, structuredClone(mine)).conflicts.length, 0)
      }),
    )
  })

  test('is symmetric except for the order', () => {
    fc.assert(
      fc.property(anySides, fc.infiniteStream(fc.boolean()), ({ base, mine, theirs }, coins) => {
        const here = mergeGraphs(base, mine, theirs)
        const there = mergeGraphs(base, theirs, mine)
        assert.deepEqual(
          new Set(here.conflicts.map(({ id }) => id)),
          new Set(there.conflicts.map(({ id }) => id)),
        )
        const picks = here.conflicts.map(({ id }) => [id, coins.next().value ? 'mine' : 'theirs'] as const)
        const swapped = picks.map(([id, side]) => [id, side === 'mine' ? 'theirs' : 'mine'] as const)
        assert.deepEqual(
          sorted(resolveMerge(base, mine, theirs, Object.fromEntries(picks))),
          sorted(resolveMerge(base, theirs, mine, Object.fromEntries(swapped))),
        )
      }),
      { numRuns: 300 },
    )
  })

  test('loses no change of either side without a conflict', () => {
    fc.assert(
      fc.property(anySides, ({ base, mine, theirs }) => {
        const { graph, conflicts } = mergeGraphs(base, mine, theirs)
        const conflicting = new Set(conflicts.map(({ id }) => id))
        expectKept(base, mine, graph, conflicting)
        expectKept(base, theirs, graph, conflicting)
      }),
      { numRuns: 500 },
    )
  })

  test('is a valid graph of items of both sides, whatever is chosen', () => {
    fc.assert(
      fc.property(
        anySides,
        fc.constantFrom('mine' as const, 'theirs' as const),
        ({ base, mine, theirs }, side) => {
          const { conflicts } = mergeGraphs(base, mine, theirs)
          const choices = Object.fromEntries(conflicts.map(({ id }) => [id, side]))
          const graph = resolveMerge(base, mine, theirs, choices)
          const ids = new Set(graph.nodes.map(({ id }) => id))
          assert.equal(ids.size, graph.nodes.length)
          assert.equal(keysOf(graph).size, graph.edges.length)
          for (const { source, target } of graph.edges)
            assert.ok(ids.has(source.cell) && ids.has(target.cell))
          for (const conflict of conflicts) {
            if (conflict.of !== 'node') continue
            const [chosen, merged] = [conflict[side], byId(graph).get(conflict.id)]
            assert.equal(merged === undefined, chosen === undefined)
            if (conflict.fields.length === 0) assert.deepEqual(merged, chosen)
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})

/** Every change of a side, field by field, is in the merged graph. */
function expectKept(base: Graph, side: Graph, merged: Graph, conflicting: ReadonlySet<string>): void {
  const [before, now, after] = [byId(base), byId(side), byId(merged)]
  for (const [id, is] of now) {
    const was = before.get(id)
    if (conflicting.has(id) || json(was) === json(is)) continue
    const kept = after.get(id)
    assert.ok(kept, `${id} is lost`)
    for (const name of Object.keys({ ...was?.data, ...is.data })) {
      if (json(was?.data[name]) !== json(is.data[name])) assert.deepEqual(kept.data[name], is.data[name])
    }
  }
  for (const id of before.keys()) {
    if (!now.has(id) && !conflicting.has(id)) assert.equal(after.has(id), false, `${id} is back`)
  }
  for (const edge of side.edges) {
    const isNew = !keysOf(base).has(edgeKey(edge))
    const isConflicting = conflicting.has(edge.source.cell) || conflicting.has(edge.target.cell)
    if (isNew && !isConflicting) assert.ok(keysOf(merged).has(edgeKey(edge)))
  }
  for (const edge of base.edges) {
    const isRemoved =
      !keysOf(side).has(edgeKey(edge)) && now.has(edge.source.cell) && now.has(edge.target.cell)
    if (isRemoved && !conflicting.has(edgeKey(edge))) assert.equal(keysOf(merged).has(edgeKey(edge)), false)
  }
}

describe('merging', () => {
  const base = chain('input', 'a', 'end')
  const withData = (graph: Graph, id: string, data: object): Graph => ({
    ...graph,
    nodes: graph.nodes.map(other =>
      other.id === id ? { ...other, data: { ...other.data, ...data } } : other,
    ),
  })

  test('takes different fields of one node from both sides', () => {
    const { graph, conflicts } = mergeGraphs(
      base,
      withData(base, 'a', { title: 'Mine' }),
      withData(base, 'a', { prompt: 'Theirs' }),
    )
    assert.deepEqual(conflicts, [])
    assert.deepEqual(byId(graph).get('a')!.data, { type: 'llm', title: 'Mine', prompt: 'Theirs' })
  })

  test('reports the field that both changed, and keeps the others for any choice', () => {
    const mine = withData(base, 'a', { title: 'Mine', model: 'x' })
    const theirs = withData(base, 'a', { title: 'Theirs', prompt: 'Theirs' })
    const { conflicts } = mergeGraphs(base, mine, theirs)
    assert.deepEqual(
      conflicts.map(({ of, id, fields }) => ({ of, id, fields })),
      [{ of: 'node', id: 'a', fields: ['data.title'] }],
    )
    const resolved = resolveMerge(base, mine, theirs, { a: 'theirs' })
    assert.deepEqual(byId(resolved).get('a')!.data, {
      type: 'llm',
      title: 'Theirs',
      model: 'x',
      prompt: 'Theirs',
    })
  })

  test('has a conflict when one side removed what the other changed, and restores the edges of a kept node', () => {
    const mine = applyEdit({ graph: base, positions: {} }, { type: 'node.remove', id: 'a' }).graph
    const theirs = withData(base, 'a', { title: 'Theirs' })
    const { graph, conflicts } = mergeGraphs(base, mine, theirs)
    assert.equal(conflicts.length, 1)
    assert.equal(conflicts[0]!.mine, undefined)
    assert.deepEqual(graph, mine)
    assert.deepEqual(resolveMerge(base, mine, theirs, { a: 'theirs' }), theirs)
  })

  test('does not mix two different nodes with the same new id', () => {
    const mine = graphOf([...base.nodes, node('llm_1', { title: 'Mine' })], base.edges)
    const theirs = graphOf([...base.nodes, node('llm_1', { prompt: 'Theirs' })], base.edges)
    assert.deepEqual(
      mergeGraphs(base, mine, theirs).conflicts.map(({ id }) => id),
      ['llm_1'],
    )
  })

  test('has a conflict when one side removed a node that the other connected', () => {
    const mine = { ...base, edges: [...base.edges, makeEdge('input', 'end')] }
    const joined = graphOf([...base.nodes, node('b')], [...mine.edges, makeEdge('a', 'b')])
    const theirs = applyEdit({ graph: base, positions: {} }, { type: 'node.remove', id: 'a' }).graph
    const { graph, conflicts } = mergeGraphs(base, joined, theirs)
    assert.deepEqual(
      conflicts.map(({ of, id, theirs: side }) => [of, id, side]),
      [['node', 'a', undefined]],
    )
    assert.deepEqual(graph, joined)
    assert.deepEqual(resolveMerge(base, joined, theirs, { a: 'theirs' }).edges, [makeEdge('input', 'end')])
  })

  test('keeps the order of the side that reordered', () => {
    const theirs = graphOf(base.nodes.toReversed(), base.edges)
    const mine = graphOf([...base.nodes, node('b')], base.edges)
    const order = mergeGraphs(base, mine, theirs).graph.nodes.map(({ id }) => id)
    assert.deepEqual(
      order.filter(id => id !== 'b'),
      ['end', 'a', 'input'],
    )
    assert.ok(order.includes('b'))
  })

  test('reports a member of the graph that both changed, apart from a node of that name', () => {
    const [mine, theirs] = [
      { ...base, meta: 1 },
      { ...base, meta: 2 },
    ]
    const { conflicts } = mergeGraphs(base, mine, theirs)
    assert.deepEqual(conflicts, [
      { of: 'member', id: 'graph.meta', fields: [], base: undefined, mine: 1, theirs: 2 },
    ])
    assert.equal(resolveMerge(base, mine, theirs, { 'graph.meta': 'theirs' })['meta'], 2)
    assert.equal(resolveMerge(base, mine, theirs, { meta: 'theirs' })['meta'], 1)
  })
})
