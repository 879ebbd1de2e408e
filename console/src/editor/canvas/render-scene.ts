import type { Edge, Graph, Node } from '@antv/x6'
import { cutText } from '../../ui/cut-text.ts'
import { cardSize } from './card-size.ts'
import { cardShape, wireShape } from './create-graph.ts'
import { textWidth } from './fit-text.ts'
import type { Card, Scene, Wire } from './scene.ts'
import type { DrawnShape } from './shape-scene.ts'
import { groupShape, noteShape, shapeCellId } from './shape-view.ts'

const labelFont = '600 11px sans-serif'

const isSame = <Value extends object>(one: Value, other: Value): boolean =>
  (Object.keys(one) as (keyof Value)[]).every(key => one[key] === other[key])

/** A node id and an edge key could be the same text. */
export const wireId = (key: string): string => `wire ${key}`

export const keyOfWire = (id: string): string => id.slice('wire '.length)

/** Updates what X6 shows from one scene to the next, touching only differences. */
export function createSceneRenderer(graph: Graph): (scene: Scene) => void {
  let cards = new Map<string, Card>()
  let wires = new Map<string, Wire>()
  let shapes = new Map<string, DrawnShape>()
  return scene => {
    const nextShapes = new Map(scene.shapes.map(shape => [shape.id, shape]))
    const nextCards = new Map(scene.cards.map(card => [card.id, card]))
    const nextWires = new Map(scene.wires.map(wire => [wire.key, wire]))
    if (cards.size + shapes.size === 0) {
      // Added in one batch, because X6 would sort all cells after each single addition.
      const nodes = scene.cards.map(card => graph.createNode(cardProps(card)))
      graph.resetCells([
        ...scene.shapes.map(shape => graph.createNode(shapeProps(shape))),
        ...nodes,
        ...scene.wires.map(wire => graph.createEdge(wireProps(wire))),
      ])
    } else
      graph.batchUpdate('scene', () => {
        for (const key of wires.keys()) if (!nextWires.has(key)) graph.removeCell(wireId(key))
        for (const id of cards.keys()) if (!nextCards.has(id)) graph.removeCell(id)
        for (const id of shapes.keys()) if (!nextShapes.has(id)) graph.removeCell(shapeCellId(id))
        for (const shape of scene.shapes) renderShape(graph, shape, shapes.get(shape.id))
        for (const card of scene.cards) renderCard(graph, card, cards.get(card.id))
        for (const wire of scene.wires) renderWire(graph, wire, wires.get(wire.key))
      })
    cards = nextCards
    wires = nextWires
    shapes = nextShapes
  }
}

const cardProps = (card: Card) => ({
  shape: cardShape,
  id: card.id,
  x: card.x,
  y: card.y,
  // X6 takes either both or none.
  width: cardSize.width,
  height: card.shape.height,
  zIndex: 2,
  data: card,
})

function renderCard(graph: Graph, card: Card, before: Card | undefined): void {
  if (!before) {
    graph.addNode(cardProps(card))
    return
  }
  if (isSame(card, before)) return
  const node = graph.getCellById(card.id) as Node
  if (card.x !== before.x || card.y !== before.y) node.setPosition(card.x, card.y)
  if (card.shape.height !== before.shape.height) node.setSize(cardSize.width, card.shape.height)
  node.setData(card, { overwrite: true })
}

const shapeProps = (shape: DrawnShape) => ({
  shape: shape.source.type === 'note' ? noteShape : groupShape,
  id: shapeCellId(shape.id),
  x: shape.x,
  y: shape.y,
  width: shape.width,
  height: shape.height,
  // Below edges and cards, and groups below notes.
  zIndex: shape.source.type === 'note' ? 0 : -1,
  data: shape,
})

function renderShape(graph: Graph, shape: DrawnShape, before: DrawnShape | undefined): void {
  if (before?.source.type !== shape.source.type) {
    if (before) graph.removeCell(shapeCellId(shape.id))
    graph.addNode(shapeProps(shape))
    return
  }
  if (isSame(shape, before)) return
  const node = graph.getCellById(shapeCellId(shape.id)) as Node
  node.setPosition(shape.x, shape.y)
  node.setSize(shape.width, shape.height)
  node.setData(shape, { overwrite: true })
}

const classOf = ({ isSelected, isLive }: Wire): string =>
  `wire${isSelected ? ' is-selected' : ''}${isLive ? ' is-live' : ''}`

function lineOf(wire: Wire) {
  const colour = wire.isSelected || wire.isLive ? 'var(--leaf)' : 'var(--wire)'
  return {
    class: classOf(wire),
    stroke: colour,
    targetMarker: { tagName: 'path', d: 'M 9 -4.5 0 0 9 4.5 Z', fill: colour, stroke: 'none' },
  }
}

function labelsOf({ label }: Wire) {
  if (label === '') return []
  const width = Math.min(textWidth(label, labelFont), 160) + 18
  const text = label.length > 28 ? `${cutText(label, 27)}…` : label
  return [
    {
      position: 0.5,
      markup: [
        { tagName: 'rect', selector: 'body' },
        { tagName: 'text', selector: 'label' },
      ],
      attrs: {
        body: { class: 'wire-label', x: -width / 2, y: -10, width, height: 20, rx: 10 },
        label: { class: 'wire-label-text', text, textAnchor: 'middle', textVerticalAnchor: 'middle' },
      },
    },
  ]
}

/** The point where an edge leaves the card follows from the branch, without measuring. */
const sourceOf = ({ from, fromY }: Wire) => ({
  cell: from,
  anchor: { name: 'card-out', args: { y: fromY } },
})

const wireProps = (wire: Wire) => ({
  shape: wireShape,
  id: wireId(wire.key),
  source: sourceOf(wire),
  target: { cell: wire.to },
  zIndex: 1,
  attrs: { line: lineOf(wire) },
  labels: labelsOf(wire),
})

function renderWire(graph: Graph, wire: Wire, before: Wire | undefined): void {
  if (!before) {
    graph.addEdge(wireProps(wire))
    return
  }
  if (isSame(wire, before)) return
  const edge = graph.getCellById(wireId(wire.key)) as Edge
  if (wire.fromY !== before.fromY) edge.setSource(sourceOf(wire))
  if (wire.label !== before.label) edge.setLabels(labelsOf(wire))
  edge.setAttrs({ line: lineOf(wire) })
}
