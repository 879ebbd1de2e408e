import { ancestorsOf } from './connect.ts'
import type { Graph, GraphNode } from './graph.ts'

/** Something that a text can refer to. */
export interface Completion {
  /** The path between the marks, such as `llm_1.text`. */
  readonly reference: string
  /** The id of the node, or a `Head` if this is not the output of a node. */
  readonly nodeId: string
  /** The output's name; empty if a node may have any output and the name has to be typed. */
  readonly name: string
  readonly title: string
}

/** The first part of a reference that does not name a node. */
export type Head = 'sys' | 'memory' | 'env' | 'secret'

interface Named {
  readonly name: string
}

const namesOf = (list: readonly Named[]): string[] => list.map(({ name }) => name)

/** The outline of `POST /workflow/check` by node id. */
type Outline = Readonly<
  Record<
    string,
    {
      readonly outputs: readonly string[] | null
      readonly environment?: readonly string[]
      readonly memory?: readonly string[]
    }
  >
>

/** The names of the values that the nodes of a graph declare for all of it. */
export const declaredNames = (outline: Outline, scope: 'environment' | 'memory'): readonly string[] => [
  ...new Set(Object.values(outline).flatMap(node => node[scope] ?? [])),
]

/**
 * The possible references in a text of this node: outputs of earlier nodes, the nearest first, values of the whole
 * graph, secrets, system values.
 */
export function completions(
  graph: Graph,
  outline: Outline,
  nodeId: string,
  named: { readonly secret: readonly Named[]; readonly sys: readonly Named[] },
  nodeTitle: (node: GraphNode) => string,
): Completion[] {
  const nodes = new Map(graph.nodes.map(node => [node.id, node]))
  const ofNodes = ancestorsOf(graph, nodeId).flatMap((id): Completion[] => {
    const node = nodes.get(id)
    const known = Object.hasOwn(outline, id) ? outline[id] : undefined
    if (!node || !known) return []
    const title = nodeTitle(node)
    const names = known.outputs ?? ['']
    return names.map(name => ({ reference: `${id}.${name}`, nodeId: id, name, title }))
  })
  const below = (head: Head, names: readonly string[]): Completion[] =>
    names.map(name => ({ reference: `${head}.${name}`, nodeId: head, name, title: head }))
  return [
    ...ofNodes,
    ...below('env', declaredNames(outline, 'environment')),
    ...below('memory', declaredNames(outline, 'memory')),
    ...below('secret', namesOf(named.secret)),
    ...below('sys', namesOf(named.sys)),
  ]
}
