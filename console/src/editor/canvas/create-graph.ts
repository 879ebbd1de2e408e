import { type Edge, EdgeView, Graph, Node, NodeView, Point, Shape } from '@antv/x6'
import { cardSize, gridStep } from './card-size.ts'
import { CardView, WireView } from './card-view.ts'

const cardName = 'banyan-card'
const wireName = 'banyan-wire'

NodeView.registry.register(cardName, CardView, true)
EdgeView.registry.register(wireName, WireView, true)
Graph.registerNode(cardName, { inherit: Node, view: cardName, ...cardSize, markup: [] }, true)
Graph.registerEdge(
  wireName,
  {
    inherit: Shape.Edge,
    view: wireName,
    // X6's own label measures its text on the page; here the width of each label is known.
    defaultLabel: { markup: [], attrs: {}, position: { distance: 0.5 } },
    attrs: {
      wrap: { strokeWidth: 16 },
      line: {
        class: 'wire',
        stroke: 'var(--wire)',
        strokeWidth: 1.6,
        targetMarker: { tagName: 'path', d: 'M 9 -4.5 0 0 9 4.5 Z', fill: 'var(--wire)', stroke: 'none' },
      },
    },
  },
  true,
)

// From the model alone: measuring would force a page layout for every edge.
const side = (isOut: boolean) => (view: { cell: unknown }) => {
  const { x, y, width, height } = (view.cell as Node).getBBox()
  return new Point(isOut ? x + width : x - 2, y + height / 2)
}
Graph.registerAnchor('card-out', side(true), true)
Graph.registerAnchor('card-in', side(false), true)

/** Leaves to the right and arrives from the left, also if the target is left of its source. */
Graph.registerConnector(
  'wire',
  (source, target) => {
    const bend = Math.max(36, Math.min(Math.abs(target.x - source.x) / 2, 160))
    return `M ${source.x} ${source.y} C ${source.x + bend} ${source.y} ${target.x - bend} ${target.y} ${target.x} ${target.y}`
  },
  true,
)

export const cardShape = cardName
export const wireShape = wireName

export interface GraphRules {
  mayEdit(): boolean
  mayConnect(from: string, to: string): boolean
  /** Whether another gesture owns the pointer, such as panning with the space bar. */
  isOurs(event: { target: EventTarget | null }): boolean
}

/** X6 with its cells and their gestures. Panning and zooming belong to the camera. */
export function createGraph(container: HTMLElement, rules: GraphRules): Graph {
  return new Graph({
    container,
    autoResize: true,
    // Removing cards from the page while panning costs more than keeping 500 of them.
    virtual: false,
    panning: false,
    mousewheel: false,
    grid: { size: gridStep, visible: false },
    moveThreshold: 2,
    preventDefaultMouseDown: false,
    preventDefaultContextMenu: false,
    guard: event => !rules.isOurs(event),
    interacting: () => ({
      nodeMovable: rules.mayEdit(),
      magnetConnectable: rules.mayEdit(),
      edgeMovable: false,
      arrowheadMovable: false,
      edgeLabelMovable: false,
      vertexMovable: false,
    }),
    connecting: {
      // Anywhere on a card, not only near its centre or its port.
      snap: { radius: 24, anchor: 'bbox' },
      allowBlank: false,
      allowLoop: false,
      allowEdge: false,
      allowNode: true,
      allowMulti: true,
      highlight: true,
      sourceAnchor: 'card-out',
      targetAnchor: 'card-in',
      connectionPoint: 'anchor',
      connector: 'wire',
      router: 'normal',
      createEdge() {
        return this.createEdge({ shape: wireName, zIndex: 3 }) as Edge
      },
      validateMagnet: ({ magnet }) => rules.mayEdit() && magnet.getAttribute('data-port') === 'out',
      validateConnection: ({ sourceCell, targetCell }) =>
        sourceCell != null && targetCell != null && rules.mayConnect(sourceCell.id, targetCell.id),
    },
  })
}
