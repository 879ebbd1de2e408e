import type { Edge, Graph, Node } from '@antv/x6'
import type { Selection } from '../model/editor-store.ts'
import type { Point, Positions } from '../model/graph.ts'
import { cardSize, nodeGap } from './card-size.ts'
import type { GuideLines } from './guide-lines.ts'
import type { LooseEnd } from './node-picker.tsx'
import { type FocusableView, noteShape, shapeCellId, shapeIdOf } from './shape-view.ts'

export interface CellGestures {
  /** Ids of the selected nodes, notes and groups. */
  selection(): Pick<Selection, 'nodes' | 'shapes'>
  /** Ids of everything that moves with the selection. */
  moved(): { nodes: readonly string[]; notes: readonly string[] }
  onPickNode(id: string, isAdding: boolean): void
  /** A click that did not move the node. */
  onClickNode(id: string): void
  onPickShape(id: string, isAdding: boolean): void
  /** A double click on a note or group. */
  onEditShape(id: string): void
  onPickEdge(edgeId: string, isAdding: boolean): void
  onOpenNode(id: string): void
  onOpenEdge(): void
  /** An edge was dropped on empty canvas. */
  onLooseEnd(end: LooseEnd): void
  onMove(positions: Positions, notes: Positions): void
  onConnect(from: string, to: string, branch: string | undefined): void
  /** A port was clicked. */
  onAddAfter(end: LooseEnd): void
}

/** The port that a new edge is drawn from. */
export interface DrawnFrom {
  from: string
  branch: string | undefined
}

interface Pressed {
  shiftKey: boolean
  ctrlKey: boolean
  metaKey: boolean
}

const isAdding = (event: Pressed): boolean => event.shiftKey || event.ctrlKey || event.metaKey

interface CellHelpers {
  guides: GuideLines
  /** The start of the edge that is being drawn. */
  drawnFrom(): DrawnFrom | undefined
  /** Called while cards or notes are dragged. */
  onMoved(): void
}

/** Translates X6's cell events into edits. X6's own model only mirrors the store. */
export function listenToCells(
  graph: Graph,
  gestures: CellGestures,
  { guides, drawnFrom, onMoved }: CellHelpers,
): void {
  let starts = new Map<Node, Point>()

  const movedCells = (): Node[] => {
    const { nodes, notes } = gestures.moved()
    const ids = [...nodes, ...[...notes, ...gestures.selection().shapes].map(shapeCellId)]
    return [...new Set(ids)].flatMap(id => {
      const cell = graph.getCellById(id)
      return cell?.isNode() ? [cell] : []
    })
  }

  graph.on('node:mousedown', ({ e, node, view }) => {
    ;(view as unknown as FocusableView).focus()
    const shape = shapeIdOf(node)
    const { nodes, shapes } = gestures.selection()
    const isSelected = shape === undefined ? nodes.has(node.id) : shapes.has(shape)
    if (isAdding(e) || !isSelected) {
      if (shape === undefined) gestures.onPickNode(node.id, isAdding(e))
      else gestures.onPickShape(shape, isAdding(e))
    }
    starts = new Map([...new Set([...movedCells(), node])].map(cell => [cell, cell.getPosition()]))
  })
  graph.on('node:click', ({ e, node }) => {
    // Pressing one of several selected nodes starts moving them all; only a click without movement selects
    // this one.
    if (isAdding(e)) return
    const { nodes, shapes } = gestures.selection()
    const shape = shapeIdOf(node)
    if (nodes.size + shapes.size > 1) {
      if (shape === undefined) gestures.onPickNode(node.id, false)
      else gestures.onPickShape(shape, false)
    }
    if (shape === undefined) gestures.onClickNode(node.id)
  })
  graph.on('node:moving', ({ e, node }) => {
    const start = starts.get(node)
    if (!start) return
    const { x, y } = node.getPosition()
    const by = { dx: x - start.x, dy: y - start.y }
    if (e.altKey) guides.hide()
    const more = e.altKey ? { dx: 0, dy: 0 } : guides.snap(starts, by)
    // Only once per step of the pointer, because setting a position redraws the card and all its edges.
    for (const [cell, from] of starts) cell.setPosition(from.x + by.dx + more.dx, from.y + by.dy + more.dy)
    onMoved()
  })
  graph.on('node:moved', () => {
    guides.hide()
    const places: Record<string, Point> = {}
    const notes: Record<string, Point> = {}
    for (const cell of starts.keys()) {
      const { x, y } = cell.getPosition()
      const shape = shapeIdOf(cell)
      if (shape === undefined) places[cell.id] = { x, y }
      else if (cell.shape === noteShape) notes[shape] = { x, y }
    }
    gestures.onMove(places, notes)
  })
  graph.on('node:dblclick', ({ node }) => {
    const shape = shapeIdOf(node)
    if (shape === undefined) gestures.onOpenNode(node.id)
    else gestures.onEditShape(shape)
  })
  graph.on('edge:click', ({ e, edge }) => gestures.onPickEdge(edge.id, isAdding(e)))
  graph.on('edge:dblclick', () => gestures.onOpenEdge())
  graph.on('edge:removed', ({ edge, options }) => {
    // X6 removes an edge itself only if it was dropped on no valid target.
    const from = options['ui'] ? edge.getSourceCellId() : undefined
    const { x, y } = edge.getTarget() as Partial<Point>
    if (from === undefined || x === undefined || y === undefined) return
    const branch = drawnFrom()?.branch
    if (isLoose(graph, from, { x, y })) gestures.onLooseEnd({ from, branch, at: { x, y } })
  })
  graph.on('node:magnet:click', ({ node, magnet }) => {
    if (magnet.getAttribute('data-port') !== 'out') return
    const branch = magnet.getAttribute('data-branch') ?? undefined
    const { x, y } = node.getPosition()
    const at = { x: x + cardSize.width + nodeGap, y: y + Number(magnet.getAttribute('cy')) }
    gestures.onAddAfter({ from: node.id, branch, at })
  })
  graph.on('edge:connected', ({ edge }) => {
    const [from, to] = endsOf(edge)
    // The store draws it again if it is allowed.
    edge.remove()
    if (from !== undefined && to !== undefined) gestures.onConnect(from, to, drawnFrom()?.branch)
  })
}

/** Whether an edge ends on empty canvas: not on a card that rejects it, and not close to its start. */
function isLoose(graph: Graph, from: string, end: Point): boolean {
  const cards = graph.getNodes().filter(node => shapeIdOf(node) === undefined)
  const boxes = cards.map(node => node.getBBox().inflate(node.id === from ? 40 : 0))
  return !boxes.some(box => box.containsPoint(end))
}

const endsOf = (edge: Edge): (string | undefined)[] => [edge.getSourceCellId(), edge.getTargetCellId()]
