import type { Graph } from '../model/graph.ts'

/** Hands a graph to the person as a file. */
export function downloadGraph(graph: Graph, name: string): void {
  const address = URL.createObjectURL(
    new Blob([JSON.stringify(graph, null, 2)], { type: 'application/json' }),
  )
  const link = document.createElement('a')
  link.href = address
  link.download = `${name}.json`
  link.click()
  URL.revokeObjectURL(address)
}
