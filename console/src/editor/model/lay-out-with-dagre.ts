import { Graph as DagreGraph, layout } from '@dagrejs/dagre'
import type { Graph, Point, Positions } from './graph.ts'
import { gaps, type SizeOf } from './node-size.ts'

/** Layers with few crossings and straight edges. Slow for hundreds of nodes. */
export function layOutWithDagre(graph: Graph, size: SizeOf): Positions {
  const drawn = new DagreGraph()
  drawn.setGraph({ rankdir: 'LR', nodesep: gaps.down, ranksep: gaps.across })
  drawn.setDefaultEdgeLabel(() => ({}))
  // Names of our own, since an id may be one that the library's plain objects stumble over.
  const names = new Map(graph.nodes.map(({ id }, index) => [id, `n${index}`]))
  for (const [id, name] of names) drawn.setNode(name, { ...size(id) })
  for (const { source, target } of graph.edges) {
    const [from, to] = [names.get(source.cell), names.get(target.cell)]
    if (from !== undefined && to !== undefined && from !== to) drawn.setEdge(from, to)
  }
  layout(drawn)
  const places = [...names].map(([id, name]): [string, Point] => {
    const { x, y } = drawn.node(name) as Point
    const { width, height } = size(id)
    return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }]
  })
  return Object.fromEntries(places)
}
