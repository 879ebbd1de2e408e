import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Graph, makeEdge, type Positions } from '../../console/src/editor/model/graph.ts'
import { layOut, layOutInLayers, tidyUp } from '../../console/src/editor/model/lay-out.ts'
import { tidyUpGroups } from '../../console/src/editor/model/lay-out-groups.ts'
import { groupFrame, type Shapes } from '../../console/src/editor/model/shapes.ts'
import { anyDrawing, anyGraph, chain, graphOf, node } from './drawings.ts'

/** Nodes of different sizes, because branching nodes are taller. */
const size = (id: string) => ({ width: 240, height: 60 + id.length * 10 })

function expectApart(graph: Graph, positions: Positions, fresh: (id: string) => boolean = () => true): void {
  const boxes = graph.nodes.map(({ id }) => ({ id, ...positions[id]!, ...size(id) }))
  for (const { id, x, y } of boxes) assert.ok(Number.isFinite(x) && Number.isFinite(y), `${id} has no place`)
  for (const [index, one] of boxes.entries()) {
    for (const other of boxes.slice(index + 1)) {
      const overlap =
        one.x < other.x + other.width &&
        other.x < one.x + one.width &&
        one.y < other.y + other.height &&
        other.y < one.y + one.height
      // Overlaps of given positions stay.
      if (overlap) assert.ok(!fresh(one.id) && !fresh(other.id), `${one.id} lies on ${other.id}`)
    }
  }
}

/** A wide graph whose nodes have up to three predecessors; deterministic. */
function largeGraph(count: number): Graph {
  const nodes = Array.from({ length: count }, (_, index) => node(`n${index}`))
  const pairs = nodes.flatMap((_, index) =>
    [index >> 1, index >> 2, (index * 7) % (index + 1)].map(from => [from, index]),
  )
  const edges = pairs.filter(([from, to]) => from !== to).map(([from, to]) => makeEdge(`n${from}`, `n${to}`))
  return graphOf(nodes, edges)
}

describe('a graph without positions', () => {
  for (const [way, layOutAll] of [
    ['carefully', (graph: Graph) => layOut(graph, {}, size)],
    ['quickly', (graph: Graph) => layOutInLayers(graph, size)],
  ] as const) {
    test(`is laid out ${way} without overlaps`, () => {
      fc.assert(
        fc.property(anyGraph, graph => {
          const positions = layOutAll(graph)
          assert.deepEqual(new Set(Object.keys(positions)), new Set(graph.nodes.map(({ id }) => id)))
          expectApart(graph, positions)
          assert.deepEqual(layOutAll(graph), positions)
        }),
      )
    })

    test(`is laid out ${way} from left to right`, () => {
      const graph = graphOf(
        ['c', 'b', 'a', 'd'].map(id => node(id)),
        [makeEdge('a', 'b'), makeEdge('b', 'c'), makeEdge('a', 'd'), makeEdge('d', 'c')],
      )
      const positions = layOutAll(graph)
      for (const { source, target } of graph.edges) {
        assert.ok(positions[source.cell]!.x + size(source.cell).width < positions[target.cell]!.x)
      }
    })
  }

  test('has the branches of a node in their order', () => {
    const graph = graphOf(
      ['a', 'other', 'first', 'last', 'more'].map(id => node(id)),
      [
        makeEdge('a', 'other', 'else'),
        makeEdge('a', 'first', 'yes'),
        makeEdge('first', 'more'),
        makeEdge('more', 'last'),
        makeEdge('other', 'last'),
      ],
    )
    const places = layOut(graph, {}, size, id => (id === 'a' ? ['yes', 'else'] : []))
    assert.ok(places['first']!.y < places['other']!.y)
  })

  test('may have the maximum size, also as a chain', () => {
    const large = largeGraph(500)
    expectApart(large, tidyUp(large, size))
    const row = chain(...Array.from({ length: 2000 }, (_, index) => `n${index}`))
    const positions = tidyUp(row, size)
    assert.equal(Object.keys(positions).length, 2000)
    assert.equal(new Set(Object.values(positions).map(({ x }) => x)).size, 2000)
  })
})

describe('a graph with some positions', () => {
  test('keeps them and places the others without overlaps', () => {
    fc.assert(
      fc.property(anyDrawing, ({ graph, positions: known }) => {
        const positions = layOut(graph, known, size)
        for (const [id, place] of Object.entries(known)) assert.deepEqual(positions[id], place)
        expectApart(graph, positions, id => !Object.hasOwn(known, id))
        assert.deepEqual(layOut(graph, known, size), positions)
      }),
      { numRuns: 300 },
    )
  })

  test('has a new node to the right of its predecessor, or to the left of its successor', () => {
    const graph = chain('input', 'a', 'end')
    const behind = layOut(graph, { input: { x: 100, y: 100 } }, size)
    assert.ok(behind['a']!.x > 340 && behind['end']!.x > behind['a']!.x)
    const ahead = layOut(graph, { end: { x: 100, y: 100 } }, size)
    assert.ok(ahead['a']!.x < -140 && ahead['input']!.x < ahead['a']!.x)
  })

  test('is returned unchanged when there is nothing to place', () => {
    const known = { input: { x: 0, y: 0 }, end: { x: 400, y: 0 } }
    assert.equal(layOut(chain('input', 'end'), known, size), known)
  })

  test('replaces an invalid position', () => {
    const positions = layOut(
      chain('input', 'end'),
      { input: { x: 0, y: 0 }, end: { x: Number.NaN, y: 0 } },
      size,
    )
    assert.ok(positions['end']!.x > 240)
  })

  test('may be large', () => {
    const graph = largeGraph(500)
    expectApart(graph, layOut(graph, { n0: { x: 0, y: 0 }, n9: { x: 400, y: 0 } }, size))
  })
})

describe('a graph with groups', () => {
  const note = { type: 'note', x: 9000, y: 9000, width: 300, height: 90, text: 'x', color: 'yellow' } as const
  /** Every third node is in no group, the others in one of three. */
  const shapesOf = ({ nodes }: Graph): Shapes => {
    const members = (group: number) => nodes.filter((_, at) => at % 4 === group).map(({ id }) => id)
    const group = (at: number, notes: string[] = []) =>
      ({ type: 'group', title: `${at}`, color: 'blue', nodes: members(at), notes }) as const
    return { note, free: note, one: group(0, ['note']), two: group(1), three: group(2) }
  }

  test('has each frame around its members and around no other node', () => {
    fc.assert(
      fc.property(anyGraph, graph => {
        const shapes = shapesOf(graph)
        const { positions, notes } = tidyUpGroups(graph, shapes, size, () => [])
        assert.deepEqual(new Set(Object.keys(positions)), new Set(graph.nodes.map(({ id }) => id)))
        expectApart(graph, positions)
        assert.deepEqual(Object.keys(notes), graph.nodes.length > 0 ? ['note'] : [])
        for (const shape of Object.values(shapes)) {
          if (shape.type !== 'group' || shape.nodes.length === 0) continue
          const boxes = [
            ...shape.nodes.map(id => ({ ...positions[id]!, ...size(id) })),
            ...shape.notes.map(id => ({ ...notes[id]!, width: note.width, height: note.height })),
          ]
          const left = Math.min(...boxes.map(({ x }) => x)) - groupFrame.padding
          const top = Math.min(...boxes.map(({ y }) => y)) - groupFrame.padding - groupFrame.head
          const right = Math.max(...boxes.map(({ x, width }) => x + width)) + groupFrame.padding
          const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + groupFrame.padding
          for (const { id } of graph.nodes) {
            if (shape.nodes.includes(id)) continue
            const { x, y } = positions[id]!
            const isOutside =
              x >= right || x + size(id).width <= left || y >= bottom || y + size(id).height <= top
            assert.ok(isOutside, `${id} is in the frame of ${shape.title}`)
          }
        }
      }),
    )
  })

  test('without groups is laid out as before', () => {
    const graph = chain('a', 'b', 'c')
    assert.deepEqual(tidyUpGroups(graph, {}, size, () => []).positions, tidyUp(graph, size))
  })
})
