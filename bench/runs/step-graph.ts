import { type Graph, type GraphEdge, sourcePort, targetPort } from '../../src/workflow/graph.ts'

export type Shape = 'chain' | 'fan-out'

/** Runs all steps of a graph once. */
export type RunOnce = () => Promise<unknown>

const link = (from: string, to: string): GraphEdge => ({
  source: { cell: from, port: sourcePort(from) },
  target: { cell: to, port: targetPort(to) },
})

const pairs = (ids: readonly string[]): GraphEdge[] => ids.slice(1).map((id, at) => link(ids[at]!, id))

export const workIds = (size: number): string[] => Array.from({ length: size }, (_, at) => `n${at}`)

/** `size` nodes of one kind between an input and an end: one after the other, or side by side before one more. */
export function stepGraph(shape: Shape, size: number, kind: string): Graph {
  const work = workIds(size)
  const node = (id: string, type: string) => ({ id, type: 'base', data: { type } })
  const inner = shape === 'chain' ? work : [...work, 'join']
  return {
    nodes: [node('input', 'input'), ...inner.map(id => node(id, kind)), node('end', 'end')],
    edges:
      shape === 'chain'
        ? pairs(['input', ...work, 'end'])
        : [...work.flatMap(id => pairs(['input', id, 'join'])), link('join', 'end')],
  }
}
