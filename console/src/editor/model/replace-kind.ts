import { edgeKey, type Graph, type GraphNode, type NodeData, withBranch } from './graph.ts'

interface Kind {
  readonly kind: string
  readonly node_type: string
  readonly data: Readonly<Record<string, unknown>>
  readonly fields: readonly { readonly name: string }[]
}

/**
 * The graph with another kind for one node, which keeps its id, title and edges, and the settings that both kinds have.
 * Edges lose a branch that the new kind does not have.
 */
export function replaceKind(
  graph: Graph,
  id: string,
  kind: Kind,
  commonFields: readonly string[],
): Graph | undefined {
  const node = graph.nodes.find(each => each.id === id)
  if (!node || node.data.type === kind.kind) return undefined
  const kept = new Set([...commonFields, ...kind.fields.map(({ name }) => name)])
  const shared = Object.entries(node.data).filter(([name]) => kept.has(name))
  const data: NodeData = { ...structuredClone(kind.data), ...Object.fromEntries(shared), type: kind.kind }
  const next: GraphNode = { ...node, type: kind.node_type, data }
  const branches = new Set(branchIds(data))
  const seen = new Set<string>()
  const edges = graph.edges
    .map(edge => {
      const name = edge.data?.case
      const isKept = edge.source.cell !== id || name === undefined || name === 'error' || branches.has(name)
      return isKept ? edge : withBranch(edge, undefined)
    })
    // Two branches to the same node become one edge.
    .filter(edge => !seen.has(edgeKey(edge)) && seen.add(edgeKey(edge)))
  return { ...graph, nodes: graph.nodes.map(each => (each === node ? next : each)), edges }
}

function branchIds(data: NodeData): string[] {
  const lists = [data['cases'], data['classes']].filter(Array.isArray)
  return lists.flat().flatMap((each: unknown) => {
    const id = typeof each === 'object' && each !== null ? (each as Record<string, unknown>)['id'] : undefined
    return typeof id === 'string' ? [id] : []
  })
}
