import type { Graph, GraphEdge, GraphNode, NodeData, Positions } from './graph.ts'
import type { ShapeChanges, Shapes } from './shapes.ts'

/** The edited state: the graph, its positions, and notes and groups (none if left out). */
export interface Drawing {
  readonly graph: Graph
  readonly positions: Positions
  readonly shapes?: Shapes
}

/** Every change is a value that can be applied, inverted, listed and tested without a screen. */
export type Edit =
  | { readonly type: 'node.add'; readonly node: GraphNode; readonly position: { x: number; y: number } }
  /** Also removes the edges of the node. */
  | { readonly type: 'node.remove'; readonly id: string }
  /** The complete new data of a node. */
  | { readonly type: 'node.change'; readonly id: string; readonly data: NodeData }
  /** Changes the id of a node; edges, references in other nodes' texts and the position follow. */
  | { readonly type: 'node.rename'; readonly id: string; readonly to: string }
  | { readonly type: 'edge.add'; readonly edge: GraphEdge }
  | { readonly type: 'edge.remove'; readonly key: string }
  /** The branch of an edge that leaves a branching node; undefined removes it. */
  | { readonly type: 'edge.branch'; readonly key: string; readonly branch: string | undefined }
  /** Changes the source, target or branch of an edge, which keeps its other members and its place in the list. */
  | { readonly type: 'edge.reconnect'; readonly key: string; readonly edge: GraphEdge }
  | { readonly type: 'nodes.move'; readonly positions: Positions }
  /** Adds, changes and removes notes and groups. */
  | { readonly type: 'shapes.put'; readonly shapes: ShapeChanges }
  /** The whole drawing, as after a merge or a roll back. */
  | {
      readonly type: 'graph.replace'
      readonly graph: Graph
      readonly positions?: Positions
      readonly shapes?: Shapes
    }
  /** Several edits that are one undo step. */
  | { readonly type: 'many'; readonly edits: readonly Edit[] }
