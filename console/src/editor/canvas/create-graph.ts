import { type Edge, EdgeView, Graph, Node, NodeView, Path, Point, Shape, View } from '@antv/x6'
import { tiniest } from './camera.ts'
import { cardSize, gridStep } from './card-size.ts'
import { CardView, WireView } from './card-view.ts'
import { bendsOf } from './curve.ts'
import { GroupView, groupShape, NoteView, noteShape } from './shape-view.ts'

const cardName = 'banyan-card'
const wireName = 'banyan-wire'

NodeView.registry.register(cardName, CardView, true)
NodeView.registry.register(noteShape, NoteView, true)
NodeView.registry.register(groupShape, GroupView, true)
EdgeView.registry.register(wireName, WireView, true)
Graph.registerNode(cardName, { inherit: Node, view: cardName, ...cardSize, markup: [] }, true)
for (const name of [noteShape, groupShape])
  Graph.registerNode(name, { inherit: Node, view: name, ...cardSize, markup: [] }, true)
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

// Computed from the model alone, because measuring would force a page layout for every edge.
Graph.registerAnchor(
  'card-out',
  (view, magnet, _, { y: at }: { y?: number }) => {
    const { x, y, width } = (view.cell as Node).getBBox()
    // A new edge has no `y` yet, so the position of its port is used.
    return new Point(x + width, y + (at ?? Number(magnet.getAttribute('cy'))))
  },
  true,
)
Graph.registerAnchor(
  'card-in',
  view => {
    const { x, y, height } = (view.cell as Node).getBBox()
    return new Point(x - 2, y + height / 2)
  },
  true,
)

// Returns a path object instead of text, which X6 would parse for every edge that moves.
Graph.registerConnector(
  'wire',
  (source, target) => {
    const path = new Path()
    path.appendSegment(Path.createSegment('M', source))
    path.appendSegment(Path.createSegment('C', ...bendsOf(source, target), target))
    return path
  },
  true,
)

export const cardShape = cardName
export const wireShape = wireName
/** The element of a card; notes and groups are nodes of X6, too. */
export const cardSelector = `.x6-node[data-shape="${cardName}"]`

interface GraphRules {
  mayEdit(): boolean
  /** A new edge is drawn from this port. */
  onDraw(from: string, branch: string | undefined): void
  mayConnect(from: string, to: string): boolean
  /** Whether another gesture owns the pointer, such as panning with the space bar. */
  isOurs(event: { target: EventTarget | null }): boolean
}

/**
 * To match an event with a selector, X6 searches the whole drawing, once per selector and ancestor of the target. This
 * restricts the search to these ancestors, which takes no time.
 */
function searchOnlyAboveTarget(container: HTMLElement): void {
  const searchAll = container.querySelectorAll.bind(container)
  const search = (selector: string): ArrayLike<Element> => {
    const target = window.event?.target
    if (!(target instanceof Element) || !container.contains(target)) return searchAll(selector)
    const found: Element[] = []
    for (let each: Element | null = target; each && each !== container; each = each.parentElement)
      if (each.matches(selector)) found.push(each)
    return found
  }
  container.querySelectorAll = search as typeof container.querySelectorAll
}

/** X6 with its cells and their gestures. Panning and zooming belong to the camera. */
export function createGraph(container: HTMLElement, rules: GraphRules): Graph {
  searchOnlyAboveTarget(container)
  const graph = new Graph({
    container,
    autoResize: true,
    // Removing cards from the page while panning costs more than keeping 500 of them.
    virtual: false,
    panning: false,
    mousewheel: false,
    // The camera sets the limits.
    scaling: { min: tiniest, max: 16 },
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
      // Edges connect to the card below the pointer. X6 would snap only near the border of a card, not in its middle.
      snap: false,
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
      validateMagnet: ({ magnet, cell }) => {
        if (!rules.mayEdit() || magnet.getAttribute('data-port') !== 'out') return false
        rules.onDraw(cell.id, magnet.getAttribute('data-branch') ?? undefined)
        return true
      },
      validateConnection: ({ sourceCell, targetCell }) =>
        sourceCell != null &&
        targetCell?.shape === cardName &&
        rules.mayConnect(sourceCell.id, targetCell.id),
    },
  })
  listenToLess(graph.view)
  return graph
}

/** Events of X6 that nothing here listens to. */
const unused = /mouse(over|out|enter|leave)|\[(data-)?event\]|\[data-magnet\]|\bimage\b|-tools|-edge-label/

/** For each event with a selector X6 searches the whole drawing, at every step of the pointer from card to card. */
function listenToLess(view: Graph['view']): void {
  const { events } = view.constructor as typeof view.constructor & { events: Record<string, string> }
  view.undelegateEvents()
  View.prototype.delegateEvents.call(
    view,
    Object.fromEntries(Object.entries(events).filter(([name]) => !unused.test(name))),
  )
}
