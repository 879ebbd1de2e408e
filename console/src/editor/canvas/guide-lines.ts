import type { Graph, Node } from '@antv/x6'
import { type Box, boxAround, type GuideLine, snapBox } from '../model/align.ts'
import type { Point } from '../model/graph.ts'
import type { Camera } from './camera.ts'
import { drawn } from './card-view.ts'
import { groupShape } from './shape-view.ts'

/** Distance in screen pixels within which cards snap. */
const snapDistance = 6

interface Shift {
  dx: number
  dy: number
}

export interface GuideLines {
  /**
   * Returns how much farther cells moved by `by` have to move to be aligned with other visible cells, and shows the
   * lines.
   */
  snap(moved: ReadonlyMap<Node, Point>, by: Shift): Shift
  hide(): void
}

/** Lines that show which other cards the dragged ones are aligned with. */
export function createGuideLines(graph: Graph, camera: Camera): GuideLines {
  const group = drawn(graph.view.viewport, 'g', 'guide-lines')
  const show = (lines: readonly GuideLine[], scale: number): void => {
    group.replaceChildren()
    for (const line of lines) drawn(group, 'line', 'guide-line', { ...line, 'stroke-width': 1 / scale })
  }
  return {
    snap: (moved, { dx: byX, dy: byY }) => {
      const view = camera.view()
      const boxes = [...moved].map(([node, { x, y }]) => ({ ...node.getSize(), x: x + byX, y: y + byY }))
      const around = boxAround(boxes)
      if (!around) return { dx: 0, dy: 0 }
      const others = graph
        .getNodes()
        // A frame follows its members, so it would always be aligned with them.
        .filter(node => !moved.has(node) && node.shape !== groupShape)
        .map(boxOf)
        .filter(box => isSeen(box, view))
      const { dx, dy, lines } = snapBox(around, others, snapDistance / view.scale)
      show(lines, view.scale)
      return { dx, dy }
    },
    hide: () => group.replaceChildren(),
  }
}

function boxOf(node: Node): Box {
  const [{ x, y }, { width, height }] = [node.getPosition(), node.getSize()]
  return { x, y, width, height }
}

const isSeen = (box: Box, view: Box): boolean =>
  box.x < view.x + view.width &&
  box.x + box.width > view.x &&
  box.y < view.y + view.height &&
  box.y + box.height > view.y
