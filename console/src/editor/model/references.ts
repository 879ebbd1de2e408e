import { ancestorsOf } from './connect.ts'
import type { Graph, GraphNode } from './graph.ts'

const opening = '{{#'
const closing = '#}}'

/** A reference that is being typed. */
export interface TypedReference {
  /** Where its `{{#` begins. */
  readonly start: number
  /** What stands between `{{#` and the caret. */
  readonly typed: string
}

/** The reference around the caret, if somebody is in the middle of one. */
export function referenceAt(text: string, caret: number): TypedReference | undefined {
  const start = text.slice(0, caret).lastIndexOf(opening)
  if (start === -1) return undefined
  const typed = text.slice(start + opening.length, caret)
  // Whatever no path can hold shows that the person is past it, or that it was never meant as one.
  return /[{}#\n]/.test(typed) ? undefined : { start, typed }
}

/** Something that a text can refer to. */
export interface Completion {
  /** What stands between the marks, such as `llm_1.text`. */
  readonly reference: string
  /** `sys` for what the server itself knows. */
  readonly nodeId: string
  /** Of the output; empty where a node may give anything and the name is to be typed. */
  readonly name: string
  readonly title: string
}

/** What `POST /workflow/check` tells of nodes by their ids. */
export type Outputs = Readonly<Record<string, { readonly outputs: readonly string[] | null }>>

/** What a text of this node can refer to: outputs of the nodes before it, the nearest first, then system names. */
export function completions(
  graph: Graph,
  outline: Outputs,
  nodeId: string,
  system: readonly { readonly name: string }[],
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
  const ofSystem = system.map(({ name }) => ({ reference: `sys.${name}`, nodeId: 'sys', name, title: 'sys' }))
  return [...ofNodes, ...ofSystem]
}

/** The text with the reference in place of what was typed, and where the caret goes. */
export function insertReference(
  text: string,
  at: TypedReference,
  reference: string,
): { text: string; caret: number } {
  const before = text.slice(0, at.start) + opening + reference
  const after = text.slice(at.start + opening.length + at.typed.length)
  // The rest of a path that was there already goes with what was typed, its closing is used again.
  const rest = /^[^\s{}#]*[^\S\n]*(?=#\}\})/.exec(after)?.[0]
  const tail = rest === undefined ? closing + after : after.slice(rest.length)
  // An output whose name is still to be typed keeps the caret inside.
  const caret = before.length + (reference.endsWith('.') ? 0 : closing.length)
  return { text: before + tail, caret }
}
