import type { Graph, Point, Positions } from './graph.ts'
import { layOutInLayers } from './lay-out-in-layers.ts'
import { layOutWithDagre } from './lay-out-with-dagre.ts'
import type { SizeOf } from './node-size.ts'
import { placeNearNeighbours } from './place-near-neighbours.ts'

/** Up to here the careful way takes a moment only; its time grows with the square of the graph. */
const careful = { nodes: 80, edges: 160 } as const

/**
 * A place for every node: those of `known` as they are, the others near their neighbours, or all of them from left to
 * right where none is known. Places are left upper corners. The same graph always gets the same places.
 */
export function layOut(graph: Graph, known: Positions, size: SizeOf): Positions {
  const placed = graph.nodes.flatMap(({ id }): [string, Point][] => {
    const place = Object.hasOwn(known, id) ? known[id] : undefined
    return place && Number.isFinite(place.x) && Number.isFinite(place.y) ? [[id, place]] : []
  })
  if (placed.length === 0) return tidyUp(graph, size)
  // All that is known may be more than the nodes of this graph; it is only handed back where it is just that.
  if (placed.length === graph.nodes.length && placed.length === Object.keys(known).length) return known
  return placeNearNeighbours(graph, new Map(placed), size)
}

/** Every node anew, from left to right. */
export function tidyUp(graph: Graph, size: SizeOf): Positions {
  const isSmall = graph.nodes.length <= careful.nodes && graph.edges.length <= careful.edges
  return isSmall ? layOutWithDagre(graph, size) : layOutInLayers(graph, size)
}
