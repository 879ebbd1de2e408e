import type { GraphLinks, Link } from './graph-links.ts'

/**
 * Either every node after all nodes that lead to it, or one cycle as its links, each starting where the last
 * ended.
 */
export type TopologicalOrder =
  | { readonly order: readonly number[]; readonly cycle?: undefined }
  | { readonly order?: undefined; readonly cycle: readonly Link[] }

/** Kahn's way: take nodes whose predecessors are all taken; what is left over holds a cycle. */
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

/** A node left over has a predecessor left over too, so walking backwards must come to a node twice. */
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
