import type { Drawing } from './edit.ts'
import type { GraphEdge, GraphNode, NodeData, Positions } from './graph.ts'
import { renameReferences } from './rewrite-references.ts'

/** The drawing with a new id for one node, everywhere. */
export function renameNode({ graph, positions }: Drawing, id: string, to: string): Drawing {
  const ids = new Set(graph.nodes.map(node => node.id))
  const renamed = new Map([[id, to]])
  return {
    graph: {
      ...graph,
      nodes: graph.nodes.map(node => renameInNode(node, id, to, renamed, ids)),
      edges: graph.edges.map(edge => renameInEdge(edge, id, to)),
    },
    positions: renamePosition(positions, id, to),
  }
}

function renameInNode(
  node: GraphNode,
  id: string,
  to: string,
  renamed: ReadonlyMap<string, string>,
  ids: ReadonlySet<string>,
): GraphNode {
  const data = renameReferences(node.data, renamed, ids)
  if (node.id !== id) return data === node.data ? node : { ...node, data }
  return { ...node, id: to, data: renameRepeatedId(data, id, to) }
}

/** Some kinds repeat the node's id in their data, and the server requires both to match. */
export const renameRepeatedId = (data: NodeData, id: string, to: string): NodeData =>
  Object.hasOwn(data, 'id') && data['id'] === id ? { ...data, id: to } : data

/** The edge with renamed ends and ports. */
export function renameInEdge(edge: GraphEdge, id: string, to: string): GraphEdge {
  if (edge.source.cell !== id && edge.target.cell !== id) return edge
  return {
    ...edge,
    source: edge.source.cell === id ? { ...edge.source, cell: to, port: `out.${to}` } : edge.source,
    target: edge.target.cell === id ? { ...edge.target, cell: to, port: `in.${to}` } : edge.target,
  }
}

const renamePosition = (positions: Positions, id: string, to: string): Positions =>
  Object.hasOwn(positions, id)
    ? Object.fromEntries(
        Object.entries(positions)
          // A position left over from an earlier node with the new id must not win.
          .filter(([placed]) => placed !== to)
          .map(([placed, point]) => [placed === id ? to : placed, point]),
      )
    : positions
