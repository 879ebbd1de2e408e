import type { NodeMark } from '../workflow-editor.ts'
import type { RunView } from './run-view.ts'

/** The status of the nodes on the canvas; nodes of nested workflows are not drawn there. */
export function marksOf(view: RunView | undefined): ReadonlyMap<string, NodeMark> {
  const marks = new Map<string, NodeMark>()
  for (const node of view?.nodes ?? [])
    if (node.depth === 0)
      marks.set(node.nodeId, {
        status: node.status,
        ...(node.elapsedMs !== undefined && { elapsedMs: node.elapsedMs }),
        ...(node.tokens > 0 && { tokens: node.tokens }),
        ...(node.error && node.status === 'failed' && { error: node.error.message }),
      })
  return marks
}

/** Message events arrive many times a second and change no status. */
export const areSameMarks = (
  one: ReadonlyMap<string, NodeMark>,
  other: ReadonlyMap<string, NodeMark>,
): boolean => {
  if (one.size !== other.size) return false
  for (const [id, { status, elapsedMs, tokens, error }] of one) {
    const found = other.get(id)
    if (
      found?.status !== status ||
      found.elapsedMs !== elapsedMs ||
      found.tokens !== tokens ||
      found.error !== error
    )
      return false
  }
  return true
}
