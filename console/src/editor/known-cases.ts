import type { GraphNode } from './model/graph.ts'
import { casesOfNode } from './panels/case-edits.ts'
import type { Checks } from './workflow-editor.ts'

/**
 * Branches that edges of a node can name: from its settings, which are known immediately, and from the
 * server's check, which arrives a moment later.
 */
export const knownCases = (node: GraphNode | undefined, outline: Checks['outline']): string[] =>
  node === undefined
    ? []
    : [
        ...new Set([
          ...casesOfNode(node),
          ...((Object.hasOwn(outline, node.id) ? outline[node.id]?.cases : undefined) ?? []),
        ]),
      ]
