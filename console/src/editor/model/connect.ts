import { edgeKey, type Graph, type GraphNode, makeEdge } from './graph.ts'

export type ConnectionProblem = 'self' | 'duplicate' | 'cycle' | 'into-input' | 'out-of-end'

/** Why two nodes cannot be connected, if they cannot. */
export function connectionProblem(
  graph: Graph,
  from: string,
  to: string,
  branch?: string,
): ConnectionProblem | undefined {
  if (from === to) return 'self'
  const kindOf = (id: string) => kindOfNode(graph.nodes.find(node => node.id === id))
  if (kindOf(to) === 'input') return 'into-input'
  if (kindOf(from) === 'end') return 'out-of-end'
  const key = edgeKey(makeEdge(from, to, branch))
  if (graph.edges.some(edge => edgeKey(edge) === key)) return 'duplicate'
  return ancestorsOf(graph, from).includes(to) ? 'cycle' : undefined
}

export const kindOfNode = (node: GraphNode | undefined): string | undefined => node?.data.type

/** Ids of all nodes with a path to this one, the nearest first. */
export function ancestorsOf(graph: Graph, id: string): string[] {
  const sources = new Map<string, string[]>()
  for (const { source, target } of graph.edges) {
    const known = sources.get(target.cell)
    if (known) known.push(source.cell)
    else sources.set(target.cell, [source.cell])
  }
  const seen = new Set([id])
  // A set iterates in insertion order, including entries added during iteration.
  for (const next of seen) for (const source of sources.get(next) ?? []) seen.add(source)
  return [...seen].slice(1)
}
