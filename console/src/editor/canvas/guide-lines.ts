import type { Graph, Node } from '@antv/x6'
import { type Box, boxAround, type GuideLine, snapBox } from '../model/align.ts'
import type { Camera } from './camera.ts'
import { drawn } from './card-view.ts'
import { groupShape } from './shape-view.ts'

/** In pixels of the screen. */
const snapDistance = 6

export interface GuideLines {
  /** How far the moved cells have to move to be aligned with others in sight; shows the lines. */
  snap(moved: readonly Node[]): { dx: number; dy: number }
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
    snap: moved => {
      const view = camera.view()
      const around = boxAround(moved.map(boxOf))
      if (!around) return { dx: 0, dy: 0 }
      const still = new Set(moved)
      const others = graph
        .getNodes()
        // A frame follows its members, so it would always be aligned with them.
        .filter(node => !still.has(node) && node.shape !== groupShape)
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
