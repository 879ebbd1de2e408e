import type { Graph, GraphNode } from '../../../src/workflow/graph.ts'
import { edge, graph, node } from '../graphs.ts'

/** Builds a graph from its nodes and edges written as `a b` or `a b case`; input and end are added. */
export function flow(nodes: readonly GraphNode[], edges: readonly string[]): Graph {
  return graph(
    [node('input', 'input'), ...nodes, node('end', 'end')],
    edges.map(line => edge(...(line.split(' ') as [string, string, string?]))),
  )
}

/** A chain of nodes between input and end. */
export function chain(...nodes: GraphNode[]): Graph {
  const ids = ['input', ...nodes.map(({ id }) => id), 'end']
  return flow(
    nodes,
    ids.slice(1).map((id, place) => `${ids[place]} ${id}`),
  )
}

export const work = (id: string, data: Record<string, unknown> = {}): GraphNode => node(id, 'work', data)
export const model = (id: string, data: Record<string, unknown> = {}): GraphNode => node(id, 'model', data)
export const says = (id: string, answer: string): GraphNode => node(id, 'output', { answer })
export const branch = (id: string, chosen: string, ...cases: string[]): GraphNode =>
  node(id, 'branch', { case: chosen, cases })
