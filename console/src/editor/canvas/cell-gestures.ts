import type { Edge, Graph, Node } from '@antv/x6'
import type { Point, Positions } from '../model/graph.ts'
import type { CardView } from './card-view.ts'

export interface CellGestures {
  /** Ids of the selected nodes as it stands. */
  selectedNodes(): ReadonlySet<string>
  onPickNode(id: string, isAdding: boolean): void
  onPickEdge(edgeId: string, isAdding: boolean): void
  onOpenNode(id: string): void
  onOpenEdge(edgeId: string, at: Place): void
  onMove(positions: Positions): void
  onConnect(from: string, to: string, at: Place): void
}

export interface Place {
  clientX: number
  clientY: number
}

interface Pressed {
  shiftKey: boolean
  ctrlKey: boolean
  metaKey: boolean
}

const isAdding = (event: Pressed): boolean => event.shiftKey || event.ctrlKey || event.metaKey

/** Turns what X6 tells of cells into what was meant. X6's own model is only ever a picture of the store's. */
export function listenToCells(graph: Graph, gestures: CellGestures): void {
  let starts = new Map<Node, Point>()

  graph.on('node:mousedown', ({ e, node, view }) => {
    ;(view as CardView).focus()
    if (isAdding(e)) gestures.onPickNode(node.id, true)
    else if (!gestures.selectedNodes().has(node.id)) gestures.onPickNode(node.id, false)
    starts = new Map(
      [...new Set([...gestures.selectedNodes(), node.id])].flatMap(id => {
        const cell = graph.getCellById(id)
        return cell?.isNode() ? [[cell, cell.getPosition()] as const] : []
      }),
    )
  })
  graph.on('node:click', ({ e, node }) => {
    // A press on one of several begins to move them all; only a click that moved nothing means this one.
    if (!isAdding(e) && gestures.selectedNodes().size > 1) gestures.onPickNode(node.id, false)
  })
  graph.on('node:moving', ({ node }) => {
    const start = starts.get(node)
    if (!start) return
    const { x, y } = node.getPosition()
    for (const [other, from] of starts)
      if (other !== node) other.setPosition(from.x + x - start.x, from.y + y - start.y)
  })
  graph.on('node:moved', () => {
    gestures.onMove(
      Object.fromEntries(
        [...starts.keys()].map(moved => {
          const { x, y } = moved.getPosition()
          return [moved.id, { x, y }]
        }),
      ),
    )
  })
  graph.on('node:dblclick', ({ node }) => gestures.onOpenNode(node.id))
  graph.on('edge:click', ({ e, edge }) => gestures.onPickEdge(edge.id, isAdding(e)))
  graph.on('edge:dblclick', ({ e, edge }) =>
    gestures.onOpenEdge(edge.id, { clientX: e.clientX ?? 0, clientY: e.clientY ?? 0 }),
  )
  graph.on('edge:connected', ({ edge, e }) => {
    const [from, to] = endsOf(edge)
    // The store draws it anew, where it is allowed.
    edge.remove()
    if (from !== undefined && to !== undefined)
      gestures.onConnect(from, to, { clientX: e.clientX ?? 0, clientY: e.clientY ?? 0 })
  })
}

const endsOf = (edge: Edge): (string | undefined)[] => [edge.getSourceCellId(), edge.getTargetCellId()]
