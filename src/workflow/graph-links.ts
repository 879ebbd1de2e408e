import { edgeCase, type Graph } from './graph.ts'

/** An edge between nodes named by their place in the list. */
export interface Link {
  readonly from: number
  readonly to: number
  /** The place of the edge in the list. */
  readonly edge: number
  /** Live only when its source chose this case; without one, live whenever the source ran. */
  readonly case?: string
}

/** The edges of a graph by node, for walking it without looking up ids. */
export interface GraphLinks {
  readonly size: number
  readonly outgoing: readonly (readonly Link[])[]
  readonly incoming: readonly (readonly Link[])[]
}

export function linkGraph(graph: Graph, places: ReadonlyMap<string, number>): GraphLinks {
  const outgoing: Link[][] = graph.nodes.map(() => [])
  const incoming: Link[][] = graph.nodes.map(() => [])
  for (const [index, edge] of graph.edges.entries()) {
    const from = places.get(edge.source.cell)
    const to = places.get(edge.target.cell)
    if (from === undefined || to === undefined) continue
    const link: Link = { from, to, edge: index, case: edgeCase(edge) }
    outgoing[from]!.push(link)
    incoming[to]!.push(link)
  }
  return { size: graph.nodes.length, outgoing, incoming }
}

/** Which nodes a path leads to from one of `starts`, the starts included. */
export function findReachable(links: GraphLinks, starts: readonly number[]): readonly boolean[] {
  const reached = new Array<boolean>(links.size).fill(false)
  const waiting = [...starts]
  for (const start of starts) reached[start] = true
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const { to } of links.outgoing[node]!) {
      if (reached[to]) continue
      reached[to] = true
      waiting.push(to)
    }
  }
  return reached
}
