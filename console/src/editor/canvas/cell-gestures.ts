import type { Edge, Graph, Node } from '@antv/x6'
import type { Point, Positions } from '../model/graph.ts'
import type { LooseEnd } from './add-here.tsx'
import type { CardView } from './card-view.ts'

export interface CellGestures {
  /** Ids of the selected nodes as it stands. */
  selectedNodes(): ReadonlySet<string>
  onPickNode(id: string, isAdding: boolean): void
  onPickEdge(edgeId: string, isAdding: boolean): void
  onOpenNode(id: string): void
  onOpenEdge(): void
  /** An edge was drawn to where nothing is. */
  onLooseEnd(end: LooseEnd): void
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
  graph.on('edge:dblclick', () => gestures.onOpenEdge())
  graph.on('edge:removed', ({ edge, options }) => {
    // X6 takes an edge away by itself only where it was let go at nothing that it may lead to.
    const from = options['ui'] ? edge.getSourceCellId() : undefined
    const { x, y } = edge.getTarget() as Partial<Point>
    if (from === undefined || x === undefined || y === undefined) return
    if (isLoose(graph, from, { x, y })) gestures.onLooseEnd({ from, at: { x, y } })
  })
  graph.on('edge:connected', ({ edge, e }) => {
    const [from, to] = endsOf(edge)
    // The store draws it anew, where it is allowed.
    edge.remove()
    if (from !== undefined && to !== undefined)
      gestures.onConnect(from, to, { clientX: e.clientX ?? 0, clientY: e.clientY ?? 0 })
  })
}

/** Not on a card that refuses it, and not where it only just began. */
function isLoose(graph: Graph, from: string, end: Point): boolean {
  const boxes = graph.getNodes().map(node => node.getBBox().inflate(node.id === from ? 40 : 0))
  return !boxes.some(box => box.containsPoint(end))
}

const endsOf = (edge: Edge): (string | undefined)[] => [edge.getSourceCellId(), edge.getTargetCellId()]
