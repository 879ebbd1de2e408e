import type { NodeRecord, RunDetails } from '../../editor/runs/run-view.ts'

/** A node of one run beside the same node of another. */
export interface ComparedNode {
  path: string
  title: string
  kind: string
  a: NodeRecord | undefined
  b: NodeRecord | undefined
  hasOtherInputs: boolean
  hasOtherOutputs: boolean
}

const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) !== JSON.stringify(b ?? null)

/**
 * Pairs nodes by path, in the order of the first run. Nodes that only the second run has are inserted where they
 * started.
 */
export function compareNodes(a: RunDetails, b: RunDetails): ComparedNode[] {
  const second = new Map(b.nodes.map(node => [node.path, node]))
  const first = new Set(a.nodes.map(node => node.path))
  const paths = a.nodes.map(node => node.path)
  for (const [index, { path }] of b.nodes.entries()) {
    if (first.has(path)) continue
    const before = b.nodes[index - 1]?.path
    paths.splice(before === undefined ? 0 : paths.indexOf(before) + 1, 0, path)
  }
  const own = new Map(a.nodes.map(node => [node.path, node]))
  return paths.map(path => {
    const left = own.get(path)
    const right = second.get(path)
    const { title, kind } = (left ?? right)!
    return {
      ...{ path, title, kind, a: left, b: right },
      hasOtherInputs: differs(left?.inputs, right?.inputs),
      hasOtherOutputs: differs(left?.outputs, right?.outputs),
    }
  })
}
