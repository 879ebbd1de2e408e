import type { Point, Positions } from './graph.ts'

/** A rectangle of the drawing. */
export interface Box extends Point {
  readonly width: number
  readonly height: number
}

export const alignments = ['left', 'centre', 'right', 'top', 'middle', 'bottom', 'across', 'down'] as const

/** `across` and `down` distribute: equal gaps between neighbours. */
export type Alignment = (typeof alignments)[number]

/** Distributing changes nothing between fewer boxes than this. */
export const minBoxes = (how: Alignment): number => (how === 'across' || how === 'down' ? 3 : 2)

/** The smallest box around others; undefined if there are none. */
export function boxAround(boxes: readonly Box[]): Box | undefined {
  if (boxes.length === 0) return undefined
  const x = Math.min(...boxes.map(box => box.x))
  const y = Math.min(...boxes.map(box => box.y))
  return {
    x,
    y,
    width: Math.max(...boxes.map(box => box.x + box.width)) - x,
    height: Math.max(...boxes.map(box => box.y + box.height)) - y,
  }
}

/** New positions of the boxes by their ids. */
export function alignBoxes(boxes: ReadonlyMap<string, Box>, how: Alignment): Positions {
  const around = boxAround([...boxes.values()])
  if (!around || boxes.size < minBoxes(how)) return {}
  if (how === 'across' || how === 'down') return distribute(boxes, around, how)
  const place = (box: Box): Point => {
    switch (how) {
      case 'left':
        return { x: around.x, y: box.y }
      case 'centre':
        return { x: Math.round(around.x + (around.width - box.width) / 2), y: box.y }
      case 'right':
        return { x: around.x + around.width - box.width, y: box.y }
      case 'top':
        return { x: box.x, y: around.y }
      case 'middle':
        return { x: box.x, y: Math.round(around.y + (around.height - box.height) / 2) }
      case 'bottom':
        return { x: box.x, y: around.y + around.height - box.height }
    }
  }
  return Object.fromEntries([...boxes].map(([id, box]) => [id, place(box)]))
}

/** The outermost boxes stay. Boxes that do not fit side by side overlap equally. */
function distribute(boxes: ReadonlyMap<string, Box>, around: Box, how: 'across' | 'down'): Positions {
  const [at, length] = how === 'across' ? (['x', 'width'] as const) : (['y', 'height'] as const)
  const order = [...boxes].sort(
    ([, one], [, other]) => one[at] + one[length] / 2 - other[at] - other[length] / 2,
  )
  const filled = order.reduce((sum, [, box]) => sum + box[length], 0)
  const gap = (around[length] - filled) / (order.length - 1)
  let next = around[at]
  return Object.fromEntries(
    order.map(([id, { x, y, ...box }]) => {
      const place = { x, y, [at]: Math.round(next) }
      next += box[length] + gap
      return [id, place]
    }),
  )
}

/** A line through the edges or centres of two boxes that are aligned. */
export interface GuideLine {
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
}

interface Snap {
  readonly dx: number
  readonly dy: number
  readonly lines: readonly GuideLine[]
}

/** How far a moved box has to move to be aligned with one of the others, and the lines that show it. */
export function snapBox(moved: Box, others: readonly Box[], tolerance: number): Snap {
  const across = nearest(moved, others, 'x', tolerance)
  const down = nearest(moved, others, 'y', tolerance)
  const snapped = { ...moved, x: moved.x + (across?.by ?? 0), y: moved.y + (down?.by ?? 0) }
  return {
    dx: across?.by ?? 0,
    dy: down?.by ?? 0,
    lines: [
      ...(across ? [lineThrough('x', across.at, snapped, others)] : []),
      ...(down ? [lineThrough('y', down.at, snapped, others)] : []),
    ],
  }
}

type Axis = 'x' | 'y'

const lengthOf = (box: Box, axis: Axis): number => (axis === 'x' ? box.width : box.height)

/** The positions of both edges and of the centre. */
function stopsOf(box: Box, axis: Axis): [number, number, number] {
  const length = lengthOf(box, axis)
  return [box[axis], box[axis] + length / 2, box[axis] + length]
}

/** Edges align only with edges and centres with centres, because otherwise almost everything would be aligned. */
function nearest(moved: Box, others: readonly Box[], axis: Axis, tolerance: number) {
  const [start, centre, end] = stopsOf(moved, axis)
  let best: { by: number; at: number } | undefined
  for (const other of others) {
    const [first, middle, last] = stopsOf(other, axis)
    for (const [stop, at] of [
      [start, first],
      [end, last],
      [centre, middle],
      [start, last],
      [end, first],
    ] as const)
      if (Math.abs(at - stop) <= tolerance && (!best || Math.abs(at - stop) < Math.abs(best.by)))
        best = { by: at - stop, at }
  }
  return best
}

/** A line from the first to the last box that has an edge or its centre there. */
function lineThrough(axis: Axis, at: number, moved: Box, others: readonly Box[]): GuideLine {
  const touching = [
    moved,
    ...others.filter(other => stopsOf(other, axis).some(stop => Math.abs(stop - at) < 0.5)),
  ]
  const around = boxAround(touching)!
  return axis === 'x'
    ? { x1: at, x2: at, y1: around.y, y2: around.y + around.height }
    : { y1: at, y2: at, x1: around.x, x2: around.x + around.width }
}
