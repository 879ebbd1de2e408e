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
    // X6's own measures its text on the screen; the one of each wire is told how wide it is.
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

// From the model alone: measuring on the page would lay it out again for every edge.
const side = (isOut: boolean) => (view: { cell: unknown }) => {
  const { x, y, width, height } = (view.cell as Node).getBBox()
  return new Point(isOut ? x + width : x - 2, y + height / 2)
}
Graph.registerAnchor('card-out', side(true), true)
Graph.registerAnchor('card-in', side(false), true)

/** Leaves to the right and arrives from the left, also where the target stands behind its source. */
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
  /** Whether a gesture is somebody else's, such as panning while the space bar is held. */
  isOurs(event: { target: EventTarget | null }): boolean
}

/** X6 with what is drawn by it: cells, and the gestures on them. Panning and zooming are the camera's. */
export function createGraph(container: HTMLElement, rules: GraphRules): Graph {
  return new Graph({
    container,
    autoResize: true,
    // Taking cards out of the page while it is panned costs more than leaving 500 of them in.
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
      // Anywhere on a card, not only near its middle or its dot.
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
