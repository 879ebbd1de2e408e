import fc from 'fast-check'
import type { Graph, GraphNode } from '../../../src/workflow/graph.ts'
import { node } from '../graphs.ts'
import { flow, model, says, work } from './run-graphs.ts'

const kinds = ['work', 'model', 'once', 'branch', 'output', 'assign', 'say', 'retried'] as const

/** Random graphs of deterministic scripted nodes, with branches, messages, effects and streams. */
export function anyFlow(): fc.Arbitrary<Graph> {
  const row = fc.record({
    kind: fc.constantFrom(...kinds),
    sources: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
    choice: fc.constantFrom('x', 'y', 'z'),
  })
  return fc.array(row, { minLength: 1, maxLength: 8 }).map(rows => {
    const isBranch = new Set<string>()
    const nodes: GraphNode[] = []
    const edges: string[] = []
    for (const [place, { kind, sources, choice }] of rows.entries()) {
      const id = `n${place}`
      const known = ['input', ...nodes.map(each => each.id)]
      const from = [...new Set(sources.map(source => known[source % known.length]!))]
      nodes.push(nodeOf(id, kind, choice, from))
      if (kind === 'branch') isBranch.add(id)
      for (const each of from) edges.push(isBranch.has(each) ? `${each} ${id} ${choice}` : `${each} ${id}`)
    }
    for (const { id } of nodes) if (!edges.some(line => line.startsWith(`${id} `))) edges.push(`${id} end`)
    return flow(nodes, edges)
  })
}

function nodeOf(
  id: string,
  kind: (typeof kinds)[number],
  choice: string,
  from: readonly string[],
): GraphNode {
  const heard = from.map(each => `{{#${each}.text#}}`).join('+')
  if (kind === 'model') return model(id, { write: [`${id} `, 'writes'] })
  if (kind === 'once') return work(id, { once: 'effect', give: { text: id } })
  if (kind === 'branch')
    return node(id, 'branch', { case: choice, cases: ['x', 'y', 'z'], give: { text: id } })
  if (kind === 'output') return says(id, `${id}: ${heard}.`)
  if (kind === 'assign') return work(id, { assign: { [id]: 1 }, give: { text: heard } })
  if (kind === 'say') return node(id, 'sayer', { say: `${id} says ${heard}` })
  if (kind === 'retried') return work(id, { fail: 1, retry: { times: 1, delay_ms: 0 }, give: { text: id } })
  return work(id, { give: { text: `${id}(${heard})` } })
}
