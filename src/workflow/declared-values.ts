import { findKind, type Graph } from './graph.ts'
import type { DeclaredValues, KindRegistry } from './node-kind.ts'

/** What the nodes of a graph declare for all of it; of several values with the same name the first counts. */
export function declaredIn({ nodes }: Pick<Graph, 'nodes'>, kinds: KindRegistry): DeclaredValues {
  const all = nodes.flatMap(({ data }) => findKind(data, kinds)?.declares?.(data) ?? [])
  const merged = (name: keyof DeclaredValues) =>
    Object.fromEntries(all.toReversed().flatMap(each => Object.entries(each[name])))
  return { environment: merged('environment'), memory: merged('memory') }
}
