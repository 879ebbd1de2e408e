import type { Graph } from '../model/graph.ts'
import type { KindRecord } from '../workflow-editor.ts'

export const matches = ({ kind, title, about }: KindRecord, sought: string): boolean =>
  [kind, title.en, title.zh, about.en, about.zh].some(text => text.toLowerCase().includes(sought))

/** A workflow has no second input and no second end. */
export const isTakenIn = (graph: Graph, { kind }: KindRecord): boolean =>
  (kind === 'input' || kind === 'end') && graph.nodes.some(node => node.data.type === kind)
