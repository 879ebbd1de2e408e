import type { DottedNames } from './dotted-names.ts'
import type { Reference } from './references.ts'

/** Names under `sys.` that a template may use; `item` and `index` have a value inside an iteration. */
export const systemNames: ReadonlySet<string> = new Set([
  'query',
  'files',
  'action',
  'conversation_id',
  'user_id',
  'agent_id',
  'run_id',
  'time',
  'history',
  'inputs',
  'model',
  'item',
  'index',
])

export type ReferenceSource =
  | { readonly from: 'sys' | 'memory'; readonly name: string }
  /** `rest` is the output's name, and the path into it where there is one. */
  | { readonly from: 'node'; readonly nodeId: string; readonly rest: string }
  | { readonly from: 'nowhere' }

/**
 * What a well-formed reference names. `sys` and `memory` come first, so that no node can take their place; a
 * node id may hold dots, and the longest id that fits is meant.
 */
export function resolveReference(reference: Reference, nodeIds: DottedNames): ReferenceSource {
  const [head, name] = reference.path
  if ((head === 'sys' || head === 'memory') && name !== undefined) return { from: head, name }
  const path = reference.path.join('.')
  const nodeId = nodeIds.longestStartOf(path)
  return nodeId === undefined
    ? { from: 'nowhere' }
    : { from: 'node', nodeId, rest: path.slice(nodeId.length + 1) }
}

/** Which of a node's outputs the rest of a reference starts with; an output name may hold dots too. */
export const resolveOutput = (rest: string, outputs: DottedNames): string | undefined =>
  outputs.longestStartOf(`${rest}.`)
