import { freshId } from './fresh-id.ts'
import type { Graph, GraphNode } from './graph.ts'

/** What a palette knows of a kind, as the server lists it. */
export interface NewNodeKind {
  readonly kind: string
  readonly node_type: string
  readonly title: unknown
  readonly data: Readonly<Record<string, unknown>>
}

/** A node of a kind with the settings that it begins with; `title` is what the person's language calls the kind. */
export const newNode = (graph: Graph, kind: NewNodeKind, title: string): GraphNode => ({
  id: freshId(graph, kind.kind),
  type: kind.node_type,
  // A copy, so that no two nodes ever share a list or an object of the palette.
  data: { ...structuredClone(kind.data), type: kind.kind, title: freshTitle(graph, title) },
})

/** Nodes of one kind are told apart by a number, as their ids are. */
function freshTitle(graph: Graph, title: string): string {
  const taken = new Set(graph.nodes.map(node => node.data.title))
  if (!taken.has(title)) return title
  let number = 2
  while (taken.has(`${title} ${number}`)) number++
  return `${title} ${number}`
}
