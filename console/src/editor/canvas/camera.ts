import type { Graph } from '@antv/x6'
import type { Box } from '../model/align.ts'
import type { Point } from '../model/graph.ts'
import { cardSize } from './card-size.ts'

/** The visible part of the drawing: its top left corner, size and scale. */
export interface View {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly scale: number
}

export type ScreenPoint = { clientX: number; clientY: number }

export interface Camera {
  view(): View
  subscribe(listener: () => void): () => void
  panBy(dx: number, dy: number): void
  /** Zooms around a point of the screen, or around its centre; as a gesture, drawing is deferred. */
  zoomTo(scale: number, around?: ScreenPoint, isGesture?: boolean): void
  /** Fits everything into view, at most at 100 %. */
  fit(): void
  /** Fits everything if it stays readable at that size, otherwise shows the beginning. */
  begin(first: Point): void
  centreOn(point: Point): void
  /** Moves only as far as needed to show the area, or its beginning if not all of it fits. */
  reveal(area: Box): void
  toLocal(event: ScreenPoint): Point
  /** Whether a gesture is in progress; nothing is redrawn until it ends. */
  hold(isHeld: boolean): void
  /** Redraws a view that a gesture has only moved. */
  settle(): void
  dispose(): void
}

/** A very long graph is fitted at less than 1 %. */
export const tiniest = 0.001
const [smallest, readable, largest] = [0.1, 0.8, 2]
const border = 40

const between = (min: number, value: number, max: number): number => Math.min(max, Math.max(min, value))

/** `free` is the part of the canvas that no panel covers, in pixels. */
export function createCamera(
  graph: Graph,
  whole: () => Omit<View, 'scale'> | undefined,
  free: () => { x: number; width: number },
): Camera {
  const listeners = new Set<() => void>()
  const layer = createShownLayer(graph, () => {
    for (const listener of listeners) listener()
  })
  graph.on('resize', layer.notify)

  const view = (): View => {
    const { tx, ty, scale } = layer.shown()
    const { width, height } = graph.options
    return { x: -tx / scale, y: -ty / scale, width: width / scale, height: height / scale, scale }
  }
  const toLocal = ({ clientX, clientY }: ScreenPoint): Point => {
    const box = graph.container.getBoundingClientRect()
    const { tx, ty, scale } = layer.shown()
    return { x: (clientX - box.left - tx) / scale, y: (clientY - box.top - ty) / scale }
  }
  const show = ({ x, y }: Point, scale: number): void => {
    const room = free()
    layer.show({ tx: room.x + room.width / 2 - x * scale, ty: graph.options.height / 2 - y * scale, scale })
  }
  const centreOn = (point: Point): void => show(point, layer.shown().scale)
  /** The scale at which everything fits; a small window may have no room besides the border. */
  const fittingScale = (area: Omit<View, 'scale'>): number => {
    const [{ width }, { height }] = [free(), graph.options]
    const fitting = Math.min((width - 2 * border) / area.width, (height - 2 * border) / area.height)
    return between(tiniest, fitting, 1)
  }
  const leastScale = (): number => {
    const area = whole()
    return area ? Math.min(smallest, fittingScale(area)) : smallest
  }
  return {
    view,
    subscribe: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    panBy: (dx, dy) => {
      const { tx, ty, scale } = layer.shown()
      layer.show({ tx: tx + dx, ty: ty + dy, scale }, true)
    },
    zoomTo: (scale, around, isGesture = false) => {
      // A large graph is smaller when it is fitted.
      const wanted = between(scale < smallest ? leastScale() : smallest, scale, largest)
      const seen = view()
      const fixed = around ? toLocal(around) : { x: seen.x + seen.width / 2, y: seen.y + seen.height / 2 }
      const before = layer.shown()
      const [tx, ty] = [
        before.tx + fixed.x * (before.scale - wanted),
        before.ty + fixed.y * (before.scale - wanted),
      ]
      layer.show({ tx, ty, scale: wanted }, isGesture)
    },
    centreOn,
    fit: () => {
      const area = whole()
      if (area) show(middleOf(area), fittingScale(area))
    },
    begin: first => {
      const area = whole()
      if (!area) return
      const scale = Math.max(fittingScale(area), readable)
      const [{ width }, { height }] = [free(), graph.options]
      const isFarther = area.width * scale > width - 2 * border
      const isTaller = area.height * scale > height - 2 * border
      const middle = middleOf(area)
      show(
        {
          x: isFarther ? first.x + (width / 2 - border) / scale : middle.x,
          // A graph that is higher than the screen shows its beginning, not its middle.
          y: isTaller ? first.y + cardSize.height / 2 : middle.y,
        },
        scale,
      )
    },
    reveal: ({ x, y, width, height }) => {
      const seen = view()
      const room = free()
      const dx = overhang(x, width, seen.x + room.x / seen.scale, room.width / seen.scale)
      const dy = overhang(y, height, seen.y, seen.height)
      if (dx === 0 && dy === 0) return
      const { tx, ty, scale } = layer.shown()
      layer.show({ tx: tx - dx * scale, ty: ty - dy * scale, scale })
    },
    toLocal,
    hold: layer.hold,
    settle: layer.settle,
    dispose: layer.dispose,
  }
}

const middleOf = ({ x, y, width, height }: Omit<View, 'scale'>): Point => ({
  x: x + width / 2,
  y: y + height / 2,
})

/** How far a range, with a margin, extends beyond the visible range. */
function overhang(from: number, length: number, start: number, room: number): number {
  const margin = 24
  if (from - margin < start) return from - margin - start
  const after = from + length + margin - start - room
  return Math.min(from - margin - start, Math.max(0, after))
}

/** Where the drawing's origin is on the screen, and its scale. */
interface Shown {
  readonly tx: number
  readonly ty: number
  readonly scale: number
}

interface ShownLayer {
  shown(): Shown
  show(next: Shown, isGesture?: boolean): void
  /** Notifies the listener once per animation frame. */
  notify(): void
  hold(isHeld: boolean): void
  settle(): void
  dispose(): void
}

/** An element around the drawing: when an SVG element itself is scaled, browsers lay out all its texts again. */
function wrapped(svg: SVGElement): HTMLElement {
  const layer = document.createElement('div')
  layer.className = 'canvas-layer'
  svg.before(layer)
  layer.append(svg)
  return layer
}

/** A wheel or trackpad gesture ends this long after its last movement. */
const restMilliseconds = 250

/**
 * Moves the drawing. Redrawing hundreds of cards takes longer than a frame, so during a gesture the existing
 * drawing is moved and scaled as a whole by CSS; X6 is updated when the gesture ends, and everything is sharp
 * again.
 */
function createShownLayer(graph: Graph, listener: () => void): ShownLayer {
  const { style } = wrapped(graph.view.svg)
  let shown: Shown = { tx: 0, ty: 0, scale: 1 }
  let drawn = shown
  let frame = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isHeld = false

  const draw = (): void => {
    frame = 0
    const grown = shown.scale / drawn.scale
    // Whole pixels, because text is blurred between them.
    const [x, y] = [Math.round(shown.tx - drawn.tx * grown), Math.round(shown.ty - drawn.ty * grown)]
    style.transform = shown === drawn ? '' : `translate(${x}px, ${y}px) scale(${grown})`
    listener()
  }
  const notify = (): void => {
    frame ||= requestAnimationFrame(draw)
  }
  const settle = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (shown === drawn) return
    if (shown.scale !== drawn.scale) graph.scale(shown.scale, shown.scale)
    graph.translate(shown.tx, shown.ty)
    drawn = shown
    cancelAnimationFrame(frame)
    // Drawn immediately, because X6 may be asked in the same frame what is below the pointer.
    draw()
  }
  const rest = (): void => {
    clearTimeout(timer)
    timer = isHeld ? undefined : setTimeout(settle, restMilliseconds)
  }
  return {
    shown: () => shown,
    show: (next, isGesture = false) => {
      shown = next
      const grown = next.scale / drawn.scale
      // Beyond this change of scale the old drawing is too coarse, or covers too little.
      if (!isGesture || grown > 2 || grown < 0.5) return settle()
      notify()
      rest()
    },
    notify,
    hold: held => {
      isHeld = held
      rest()
    },
    settle,
    dispose: () => {
      clearTimeout(timer)
      cancelAnimationFrame(frame)
    },
  }
}
