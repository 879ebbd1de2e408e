import type { Graph } from '@antv/x6'
import type { Point } from '../model/graph.ts'
import { cardSize } from './card-size.ts'

/** How much of the drawing is seen: the left upper corner and size of the window on it, and the scale. */
export interface View {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly scale: number
}

export interface Camera {
  view(): View
  subscribe(listener: () => void): () => void
  panBy(dx: number, dy: number): void
  /** Around a point of the screen, or around the middle. */
  zoomTo(scale: number, around?: { clientX: number; clientY: number }): void
  /** Shows everything, but never larger than it is. */
  fit(): void
  /** Shows everything where it can be read at that size, and the card that is first otherwise. */
  begin(first: Point): void
  centreOn(point: Point): void
  /** Moves only as far as is needed to see the card. */
  reveal(place: Point): void
  toLocal(event: { clientX: number; clientY: number }): Point
}

const [smallest, readable, largest] = [0.08, 0.6, 2]

export function createCamera(graph: Graph, whole: () => Omit<View, 'scale'> | undefined): Camera {
  const listeners = new Set<() => void>()
  let frame = 0
  const changed = (): void => {
    // At most once per frame, however many events a trackpad sends.
    if (frame !== 0) return
    frame = requestAnimationFrame(() => {
      frame = 0
      for (const listener of listeners) listener()
    })
  }
  graph.on('translate', changed)
  graph.on('scale', changed)
  graph.on('resize', changed)

  const centreOn = ({ x, y }: Point): void => {
    const { width, height, scale } = readView(graph)
    graph.translate((width / 2 - x) * scale, (height / 2 - y) * scale)
  }
  const zoomTo: Camera['zoomTo'] = (scale, around) => {
    const wanted = Math.min(largest, Math.max(smallest, scale))
    const { x, y, width, height } = readView(graph)
    const fixed = around ? toPoint(graph, around) : { x: x + width / 2, y: y + height / 2 }
    const before = graph.transform.getScale().sx
    graph.scale(wanted, wanted)
    graph.translate((fixed.x - x) * before - fixed.x * wanted, (fixed.y - y) * before - fixed.y * wanted)
  }
  const border = 40
  /** The scale at which everything is seen. */
  const fittingScale = (area: Omit<View, 'scale'>): number => {
    const { width, height } = graph.options
    const fitting = Math.min((width - 2 * border) / area.width, (height - 2 * border) / area.height, 1)
    return Math.max(fitting, smallest)
  }
  const fit = (): void => {
    const area = whole()
    if (!area) return
    const scale = fittingScale(area)
    graph.scale(scale, scale)
    centreOn({ x: area.x + area.width / 2, y: area.y + area.height / 2 })
  }
  return {
    view: () => readView(graph),
    subscribe: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    panBy: (dx, dy) => {
      const { tx, ty } = graph.translate()
      graph.translate(tx + dx, ty + dy)
    },
    zoomTo,
    centreOn,
    fit,
    begin: ({ x, y }) => {
      const area = whole()
      if (area && fittingScale(area) >= readable) return fit()
      graph.scale(readable, readable)
      const { width } = readView(graph)
      centreOn({ x: x + width / 2 - border / readable, y: y + cardSize.height / 2 })
    },
    reveal: ({ x, y }) => {
      const seen = readView(graph)
      const margin = 24
      const inside = (from: number, length: number, start: number, room: number): boolean =>
        from - margin >= start && from + length + margin <= start + room
      if (inside(x, cardSize.width, seen.x, seen.width) && inside(y, cardSize.height, seen.y, seen.height))
        return
      centreOn({ x: x + cardSize.width / 2, y: y + cardSize.height / 2 })
    },
    toLocal: event => toPoint(graph, event),
  }
}

function toPoint(graph: Graph, { clientX, clientY }: { clientX: number; clientY: number }): Point {
  const box = graph.container.getBoundingClientRect()
  const { tx, ty } = graph.translate()
  const { sx } = graph.transform.getScale()
  return { x: (clientX - box.left - tx) / sx, y: (clientY - box.top - ty) / sx }
}

function readView(graph: Graph): View {
  const { tx, ty } = graph.translate()
  const { sx } = graph.transform.getScale()
  const { width, height } = graph.options
  return { x: -tx / sx, y: -ty / sx, width: width / sx, height: height / sx, scale: sx }
}
