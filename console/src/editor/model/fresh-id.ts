import type { Graph } from './graph.ts'

/** An id that no node has: `input` or `end` for those kinds where it is free, else the kind with a number. */
export const freshId = (graph: Graph, kind: string): string =>
  freshIdAmong(new Set(graph.nodes.map(node => node.id)), kind)

export function freshIdAmong(taken: ReadonlySet<string>, kind: string): string {
  if ((kind === 'input' || kind === 'end') && !taken.has(kind)) return kind
  const name = /^[a-z]\w{0,63}$/i.test(kind) ? kind : 'node'
  // Behind the highest number, not in a gap: texts may still refer to the node that left the gap.
  let highest = 0
  for (const id of taken) {
    if (!id.startsWith(`${name}_`)) continue
    const number = id.slice(name.length + 1)
    if (/^[1-9]\d{0,8}$/.test(number)) highest = Math.max(highest, Number(number))
  }
  return `${name}_${highest + 1}`
}
