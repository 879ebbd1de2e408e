/**
 * The graph of the API (its edge is X6's own form). Unknown members belong to other programs and are
 * preserved by every edit.
 */
export interface GraphNode {
  readonly id: string
  readonly type: string
  readonly data: NodeData
  readonly [more: string]: unknown
}

export interface NodeData {
  readonly type?: string
  readonly title?: string
  readonly desc?: string
  readonly [field: string]: unknown
}

export interface GraphEdge {
  readonly source: { readonly cell: string; readonly port: string }
  readonly target: { readonly cell: string; readonly port: string }
  readonly data?: { readonly case?: string; readonly [more: string]: unknown }
  readonly [more: string]: unknown
}

export interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly [more: string]: unknown
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** Node positions by id. They are stored beside the graph, never in it. */
export type Positions = Readonly<Record<string, Point>>

/** Two edges between the same nodes differ by their branch. */
export const edgeKey = ({ source, target, data }: GraphEdge): string =>
  JSON.stringify([source.cell, target.cell, data?.case ?? ''])

export const makeEdge = (from: string, to: string, branch?: string): GraphEdge => ({
  source: { cell: from, port: `out.${from}` },
  target: { cell: to, port: `in.${to}` },
  ...(branch !== undefined && { data: { case: branch } }),
})

/** The edge with other ends; its other members stay. A new source comes with a branch of its own. */
export function withEnds(
  edge: GraphEdge,
  ends: { to: string } | { from: string; branch: string | undefined },
): GraphEdge {
  if ('to' in ends) return { ...edge, target: { ...edge.target, cell: ends.to, port: `in.${ends.to}` } }
  const source = { ...edge.source, cell: ends.from, port: `out.${ends.from}` }
  return { ...withBranch(edge, ends.branch), source }
}

export function withBranch(edge: GraphEdge, branch: string | undefined): GraphEdge {
  if (branch !== undefined) return { ...edge, data: { ...edge.data, case: branch } }
  const { data, ...rest } = edge
  const { case: _, ...more } = data ?? {}
  return (Object.keys(more).length > 0 ? { ...rest, data: more } : rest) as GraphEdge
}
