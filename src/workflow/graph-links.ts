import { edgeCase, type Graph } from './graph.ts'
import { isJsonRecord, type JsonRecord, ownValue } from './json-record.ts'
import type { NodeKind } from './node-kind.ts'

/** An edge between nodes given by their place in the list. */
export interface Link {
  readonly from: number
  readonly to: number
  readonly edge: number
  /** The edge is live only if its source chose this case; without a case it is live whenever its source ran. */
  readonly case?: string
  /** The source has an error branch: this edge, which has no case, is not live when the source fails. */
  readonly unlessFailed?: boolean
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
    const name = edgeCase(edge)
    const isGuarded = name === undefined && takesErrorBranch(graph.nodes[from]!)
    const link: Link = { from, to, edge: index, case: name, ...(isGuarded && { unlessFailed: true }) }
    outgoing[from]!.push(link)
    incoming[to]!.push(link)
  }
  return { size: graph.nodes.length, outgoing, incoming }
}

/** The case of the edges that are followed when a node with `on_error: "branch"` fails. */
export const errorCase = 'error'

export const takesErrorBranch = ({ data }: { readonly data: JsonRecord }): boolean =>
  ownValue(data, 'on_error') === 'branch'

/** What other nodes may refer to; undefined when any name is possible. */
export function outputNames(
  kind: Pick<NodeKind, 'outputs'>,
  data: JsonRecord,
): readonly string[] | undefined {
  const names = kind.outputs(data)
  const handled = takesErrorBranch({ data }) ? [errorCase] : defaultNames(ownValue(data, 'on_error'))
  return names && handled && [...new Set([...names, ...handled])]
}

/** The names of the outputs that a failed node gets from its default. */
function defaultNames(onError: unknown): readonly string[] | undefined {
  if (!isJsonRecord(onError) || !Object.hasOwn(onError, 'default')) return []
  const value = onError['default']
  if (isJsonRecord(value)) return Object.keys(value)
  const mayBeObject = typeof value === 'string' && /^\{\{#[^#]*#\}\}$/.test(value)
  return mayBeObject ? undefined : ['text', 'result']
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

/** Either every node after all that lead to it, or one cycle as its links, each starting where the last ended. */
type TopologicalOrder =
  | { readonly order: readonly number[]; readonly cycle?: undefined }
  | { readonly order?: undefined; readonly cycle: readonly Link[] }

/** Kahn's algorithm: takes nodes whose predecessors are all taken; the remaining nodes contain a cycle. */
export function findTopologicalOrder(links: GraphLinks): TopologicalOrder {
  const open = links.incoming.map(incoming => incoming.length)
  const order: number[] = []
  for (let node = 0; node < links.size; node += 1) if (open[node] === 0) order.push(node)
  for (let next = 0; next < order.length; next += 1) {
    for (const { to } of links.outgoing[order[next]!]!) {
      open[to]! -= 1
      if (open[to] === 0) order.push(to)
    }
  }
  return order.length === links.size ? { order } : { cycle: findCycle(links, open) }
}

/** A remaining node has a remaining predecessor, so walking backwards must visit a node twice. */
function findCycle(links: GraphLinks, open: readonly number[]): Link[] {
  const walked: Link[] = []
  const stepAt = new Map<number, number>()
  let node = open.findIndex(count => count > 0)
  while (!stepAt.has(node)) {
    stepAt.set(node, walked.length)
    const back = links.incoming[node]!.find(link => open[link.from]! > 0)!
    walked.push(back)
    node = back.from
  }
  return walked.slice(stepAt.get(node)).reverse()
}
