import type { GraphNode } from './model/graph.ts'
import { casesOfNode } from './panels/case-edits.ts'
import type { Checks } from './workflow-editor.ts'

/**
 * Cases that edges of a node can name: those of its settings, which are there as soon as it is drawn, and what the
 * server makes of them, which comes a moment later.
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
