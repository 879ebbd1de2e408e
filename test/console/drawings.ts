import fc from 'fast-check'
import type { Drawing, Edit } from '../../console/src/editor/model/edit.ts'
import {
  edgeKey,
  type Graph,
  type GraphEdge,
  type GraphNode,
  makeEdge,
  type NodeData,
} from '../../console/src/editor/model/graph.ts'

export const node = (id: string, data: NodeData = {}, more: object = {}): GraphNode => ({
  id,
  type: 'base',
  data,
  ...more,
})

export const graphOf = (nodes: readonly GraphNode[], edges: readonly GraphEdge[] = []): Graph => ({
  nodes,
  edges,
})

/** A chain of nodes. */
export const chain = (...ids: string[]): Graph =>
  graphOf(
    ids.map(id => node(id, { type: id === 'input' || id === 'end' ? id : 'llm' })),
    ids.slice(1).map((id, index) => makeEdge(ids[index]!, id)),
  )

/** Including ids with a common prefix, with dots, and names of inherited members. */
export const anyId = fc.constantFrom('input', 'end', 'a', 'b', 'a.b', 'llm_1', 'llm_10', '__proto__', 'sys')

const anyText = fc
  .array(
    fc.constantFrom(
      '{{#a.text#}}',
      '{{#a.b.c#}}',
      '{{# llm_1.x #}}',
      '{{#sys.query#}}',
      ' and ',
      '{{#if',
      '#}}',
    ),
    {
      maxLength: 4,
    },
  )
  .map(parts => parts.join(''))

export const anyData: fc.Arbitrary<NodeData> = fc.record(
  {
    type: fc.constantFrom('input', 'end', 'llm', 'condition'),
    title: fc.constantFrom('One', 'Two', '三'),
    prompt: anyText,
    model: fc.constantFrom('x', 'y'),
    id: anyId,
    nested: fc.record({ deep: fc.array(anyText, { maxLength: 2 }), constructor: anyText }),
  },
  { requiredKeys: [] },
)

export const anyNode: fc.Arbitrary<GraphNode> = fc
  .record({ id: anyId, data: anyData, more: fc.constantFrom({}, { shape: 'round' }, { zIndex: 2 }) })
  .map(({ id, data, more }) => node(id, data, more))

const anyEdge: fc.Arbitrary<GraphEdge> = fc
  .record({
    from: anyId,
    to: anyId,
    branch: fc.constantFrom(undefined, undefined, 'yes', 'no'),
    more: fc.constantFrom({}, {}, { label: 'L' }),
  })
  .map(({ from, to, branch, more }) => ({ ...makeEdge(from, to, branch), ...more }))

const anyPoint = fc.record({ x: fc.integer({ min: -500, max: 500 }), y: fc.integer({ min: -500, max: 500 }) })

/** Valid: unique ids and edges, and edges between existing nodes. */
export const anyGraph: fc.Arbitrary<Graph> = fc
  .record({
    nodes: fc.uniqueArray(anyNode, { selector: ({ id }) => id, maxLength: 7 }),
    edges: fc.uniqueArray(anyEdge, { selector: edgeKey, maxLength: 10 }),
    more: fc.constantFrom({}, { meta: { by: 'other' } }),
  })
  .map(({ nodes, edges, more }) => ({
    ...more,
    nodes,
    edges: edges.filter(({ source, target }) =>
      [source.cell, target.cell].every(cell => nodes.some(({ id }) => id === cell)),
    ),
  }))

const anyPositions = fc.array(fc.tuple(anyId, anyPoint)).map(places => Object.fromEntries(places))

export const anyDrawing: fc.Arbitrary<Drawing> = fc
  .record({ graph: anyGraph, positions: anyPositions })
  .map(({ graph, positions }) => {
    const ids = new Set(graph.nodes.map(({ id }) => id))
    return { graph, positions: Object.fromEntries(Object.entries(positions).filter(([id]) => ids.has(id))) }
  })

const anyKey = anyEdge.map(edgeKey)
const anySingleEdit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ type: fc.constant('node.add' as const), node: anyNode, position: anyPoint }),
  fc.record({ type: fc.constant('node.remove' as const), id: anyId }),
  fc.record({ type: fc.constant('node.change' as const), id: anyId, data: anyData }),
  fc.record({
    type: fc.constant('node.rename' as const),
    id: anyId,
    to: fc.oneof(anyId, fc.constant('new')),
  }),
  fc.record({ type: fc.constant('edge.add' as const), edge: anyEdge }),
  fc.record({ type: fc.constant('edge.remove' as const), key: anyKey }),
  fc.record({
    type: fc.constant('edge.branch' as const),
    key: anyKey,
    branch: fc.constantFrom(undefined, 'yes', 'no'),
  }),
  fc.record({ type: fc.constant('edge.reconnect' as const), key: anyKey, edge: anyEdge }),
  fc.record({ type: fc.constant('nodes.move' as const), positions: anyPositions }),
  fc.record({ type: fc.constant('graph.replace' as const), graph: anyGraph }),
)

/** Many of them do not apply to a given drawing, which is tested too. */
export const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 5, arbitrary: anySingleEdit },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('many' as const),
      edits: fc.array(anySingleEdit, { maxLength: 5 }),
    }),
  },
)
