import type { Graph, Positions } from '../model/graph.ts'
import { layOut } from '../model/lay-out.ts'
import { cardSize } from './card-size.ts'

/** Places for those nodes, too, that nobody placed. */
export const placedAll = (graph: Graph, known: Positions): Positions =>
  graph.nodes.every(({ id }) => Object.hasOwn(known, id)) ? known : layOut(graph, known, () => cardSize)
