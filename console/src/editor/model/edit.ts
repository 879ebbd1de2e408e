import type { Graph, GraphEdge, GraphNode, NodeData, Positions } from './graph.ts'

/** What is being edited: the graph, and where it is drawn. */
export interface Drawing {
  readonly graph: Graph
  readonly positions: Positions
}

/** Every change is a value: it can be applied, taken back, listed and tested without a screen. */
export type Edit =
  | { readonly type: 'node.add'; readonly node: GraphNode; readonly position: { x: number; y: number } }
  /** Its edges go with it. */
  | { readonly type: 'node.remove'; readonly id: string }
  /** The whole new data of a node. */
  | { readonly type: 'node.change'; readonly id: string; readonly data: NodeData }
  /** A new id; edges, references in other nodes' texts and its position follow. */
  | { readonly type: 'node.rename'; readonly id: string; readonly to: string }
  | { readonly type: 'edge.add'; readonly edge: GraphEdge }
  | { readonly type: 'edge.remove'; readonly key: string }
  /** The case of an edge that leaves a branching node; undefined takes it away. */
  | { readonly type: 'edge.branch'; readonly key: string; readonly branch: string | undefined }
  | { readonly type: 'nodes.move'; readonly positions: Positions }
  /** Everything at once, as after a merge or a roll back. */
  | { readonly type: 'graph.replace'; readonly graph: Graph; readonly positions?: Positions }
  /** Several that are one step for undo. */
  | { readonly type: 'many'; readonly edits: readonly Edit[] }
