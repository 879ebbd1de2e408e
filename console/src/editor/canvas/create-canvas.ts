import { type Box, boxAround } from '../model/align.ts'
import type { Point } from '../model/graph.ts'
import { type Camera, createCamera, type ScreenPoint } from './camera.ts'
import { type Area, listenToCamera } from './camera-gestures.ts'
import { cardSize } from './card-size.ts'
import { type CellGestures, type DrawnFrom, listenToCells } from './cell-gestures.ts'
import { cardSelector, createGraph } from './create-graph.ts'
import { createGuideLines } from './guide-lines.ts'
import { listenToNoteResize, type NoteResizeListener } from './note-resize.ts'
import { createSceneRenderer, keyOfWire, wireId } from './render-scene.ts'
import type { Card, Scene } from './scene.ts'
import { type FocusableView, followMembers, shapeCellId } from './shape-view.ts'
import { createWireHandles, type WireHandleListener } from './wire-handles.ts'

export interface CanvasListener extends CellGestures, WireHandleListener, NoteResizeListener {
  mayConnect(from: string, to: string, branch: string | undefined): boolean
  /** The pointer was released over a node that the edge must not connect to. */
  onRefused(from: string, to: string, branch: string | undefined): void
  /** Nodes inside the selection rectangle while it is drawn; `area` is undefined at its end. */
  onBand(ids: string[], shapeIds: string[], area: Area | undefined): void
  onBlankClick(): void
}

export interface Canvas {
  camera: Camera
  /** Draws a scene; the first one also sets the initial camera position. */
  render(scene: Scene): void
  scene(): Scene
  /** Focuses a card and brings it into view, or focuses the canvas. */
  focus(id: string | undefined): void
  focusShape(id: string): void
  /** The links in the text of a note that is drawn. */
  linksOf(shapeId: string): HTMLAnchorElement[]
  /** The edge below a point of the screen, which is highlighted while a node is dragged over it. */
  edgeAt(point: ScreenPoint): string | undefined
  highlightEdge(key: string | undefined): void
  dispose(): void
}

/** The canvas without React: X6, the camera, and pointer gestures. */
export function createCanvas(container: HTMLElement, listener: CanvasListener): Canvas {
  let scene: Scene = { cards: [], wires: [], shapes: [] }
  let hasBegun = false
  /** A card or shape that gets the focus when it is drawn. */
  let awaited: string | undefined
  /** A card that gets the focus when it is in the scene. */
  let added: string | undefined
  let connecting: DrawnFrom | undefined
  const graph = createGraph(container, {
    mayEdit: listener.mayEdit,
    onDraw: (from, branch) => {
      connecting = { from, branch }
    },
    mayConnect: (from, to) => listener.mayConnect(from, to, connecting?.branch),
    isOurs: event => !gestures.isCameraGesture(event),
  })
  const camera = createCamera(
    graph,
    () => areaOf(scene),
    () => freePart(container),
  )
  const gestures = listenToCamera(container, camera, {
    onBand: (area, isOver) => {
      const { cards, shapes } = within(scene, area, camera)
      listener.onBand(cards, shapes, isOver ? undefined : area)
    },
    onBlankClick: listener.onBlankClick,
  })
  listenToCells(graph, listener, {
    guides: createGuideLines(graph, camera),
    drawnFrom: () => connecting,
    onMoved: () => followMembers(graph, scene.shapes),
  })
  const stopResizing = listenToNoteResize(graph, camera, listener, () => followMembers(graph, scene.shapes))
  const handles = createWireHandles(graph, camera, listener)

  const focusNow = (id: string): boolean =>
    (graph.findViewByCell(id) as FocusableView | null)?.focus() ?? false
  graph.on('view:mounted', ({ view }) => {
    if (view.cell.id !== awaited) return
    awaited = undefined
    // The element is in the page, but filled only after this.
    queueMicrotask(() => focusNow(view.cell.id))
  })
  let focused: string | null | undefined
  container.addEventListener('focusin', event => {
    focused = (event.target as Element).getAttribute('data-node')
  })
  graph.on('view:unmounted', ({ view }) => {
    // Keyboard users would otherwise lose their position when the focused card leaves the screen.
    if (view.cell.id !== focused || document.activeElement !== document.body) return
    container.focus({ preventScroll: true })
  })
  const notifyRejected = (event: PointerEvent): void => {
    const drawn = connecting
    // X6 connects when the mouse event follows.
    setTimeout(() => {
      if (connecting === drawn) connecting = undefined
    })
    const under = document.elementFromPoint(event.clientX, event.clientY)
    const to = under?.closest(cardSelector)?.getAttribute('data-cell-id')
    if (!drawn || to == null || to === drawn.from) return
    if (!listener.mayConnect(drawn.from, to, drawn.branch)) listener.onRefused(drawn.from, to, drawn.branch)
  }
  window.addEventListener('pointerup', notifyRejected)
  const focus = (id: string | undefined): void => {
    const card = scene.cards.find(each => each.id === id)
    added = card ? undefined : id
    if (!card) {
      container.focus({ preventScroll: true })
      return
    }
    camera.reveal(boxOfCard(card))
    if (!focusNow(card.id)) awaited = card.id
  }
  const render = createSceneRenderer(graph)
  const sheet = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  sheet.setAttribute('class', 'canvas-sheet')
  graph.view.viewport.prepend(sheet)
  let highlighted: Element | undefined
  return {
    camera,
    render: next => {
      // Only for the initial nodes of an opened workflow: a first new node stays where it was dropped.
      const [first, ...others] = hasBegun ? [] : next.cards
      hasBegun = true
      scene = next
      // Before anything is drawn, so that only visible cards are drawn.
      if (first) camera.begin(others.reduce(moreOfABeginning, first))
      render(next)
      spreadSheet(sheet, areaOf(next))
      const chosen = next.wires.filter(wire => wire.isSelected)
      handles.select(chosen.length === 1 ? chosen[0]!.key : undefined)
      const id = added
      added = undefined
      // Unless the user has moved the focus in the meantime.
      if (id !== undefined && document.activeElement === container) focus(id)
    },
    scene: () => scene,
    focus,
    focusShape: id => {
      const shape = scene.shapes.find(each => each.id === id)
      if (!shape) return container.focus({ preventScroll: true })
      camera.reveal(shape)
      if (!focusNow(shapeCellId(id))) awaited = shapeCellId(id)
    },
    linksOf: id => [
      ...(graph.findViewByCell(shapeCellId(id))?.container.querySelectorAll<HTMLAnchorElement>('a[href]') ??
        []),
    ],
    edgeAt: ({ clientX, clientY }) => {
      const edge = document.elementFromPoint(clientX, clientY)?.closest('.x6-edge')
      const id = edge?.getAttribute('data-cell-id')
      return id == null ? undefined : keyOfWire(id)
    },
    highlightEdge: key => {
      const next = key === undefined ? undefined : graph.findViewByCell(wireId(key))?.container
      if (next === highlighted) return
      highlighted?.removeAttribute('data-drop')
      next?.setAttribute('data-drop', 'yes')
      highlighted = next
    },
    dispose: () => {
      window.removeEventListener('pointerup', notifyRejected)
      handles.dispose()
      stopResizing()
      gestures.dispose()
      camera.dispose()
      graph.dispose(true)
    },
  }
}

/**
 * An invisible element below all cards. Browsers put elements that move together into one layer only if that
 * wastes no space; without it each card becomes a layer of its own, which is slower than painting.
 */
function spreadSheet(sheet: SVGElement, area: ReturnType<typeof areaOf>): void {
  const margin = 400
  const { x, y, width, height } = area ?? { x: 0, y: 0, width: 0, height: 0 }
  const attributes = { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin }
  for (const [name, value] of Object.entries(attributes)) sheet.setAttribute(name, String(value))
}

/** Chooses the card where a workflow starts: its input, or without one the leftmost card. */
function moreOfABeginning(one: Card, other: Card): Card {
  if ((one.kind === 'input') !== (other.kind === 'input')) return one.kind === 'input' ? one : other
  return other.x < one.x ? other : one
}

/**
 * The part of the canvas that no panel covers, from left to right: in a narrow window, panels float above the canvas.
 * Panels beside the canvas, or so wide that next to nothing is left, do not count.
 */
function freePart(container: HTMLElement): { x: number; width: number } {
  const box = container.getBoundingClientRect()
  let [from, to] = [0, box.width]
  for (const panel of document.querySelectorAll('[data-canvas-panel]')) {
    const { left, right } = panel.getBoundingClientRect()
    if (left > box.left) to = Math.min(to, left - box.left)
    else from = Math.max(from, right - box.left)
  }
  return to - from < cardSize.width / 2 ? { x: 0, width: box.width } : { x: from, width: to - from }
}

/** The smallest rectangle around everything that is drawn, or a part of it. */
export const areaOf = ({ cards, shapes }: Pick<Scene, 'cards' | 'shapes'>): Box | undefined =>
  boxAround([...cards.map(boxOfCard), ...shapes])

export const boxOfCard = ({ x, y, shape }: Card): Box => ({
  x,
  y,
  width: cardSize.width,
  height: shape.height,
})

/** Cards and notes; a group is selected by its head. */
function within({ cards, shapes }: Scene, area: Area, camera: Camera): { cards: string[]; shapes: string[] } {
  const from: Point = camera.toLocal({ clientX: area.left, clientY: area.top })
  const to: Point = camera.toLocal({ clientX: area.right, clientY: area.bottom })
  const isInside = ({ x, y, width, height }: Box): boolean =>
    x < to.x && x + width > from.x && y < to.y && y + height > from.y
  return {
    cards: cards.filter(card => isInside(boxOfCard(card))).map(({ id }) => id),
    shapes: shapes.filter(shape => shape.source.type === 'note' && isInside(shape)).map(({ id }) => id),
  }
}
