import type { Box } from '../model/align.ts'
import type { View } from './camera.ts'
import { cardSize, gridStep } from './card-size.ts'
import type { Scene } from './scene.ts'
import { newNote } from './shape-commands.ts'

const step = 2 * gridStep
/** The view of a large drawing would have hundreds of thousands of spots, each compared with every node. */
const maxSteps = 48

const areApart = (one: Box, other: Box): boolean =>
  one.x >= other.x + other.width ||
  other.x >= one.x + one.width ||
  one.y >= other.y + other.height ||
  other.y >= one.y + one.height

/**
 * Where a new note is whole and covered by nothing, as near as possible to the middle of the view; beside the drawing if
 * there is no such place. Cards are drawn above notes.
 */
export function spotForNote(
  { cards, shapes }: Pick<Scene, 'cards' | 'shapes'>,
  view: Pick<View, 'x' | 'y' | 'width' | 'height'>,
): { x: number; y: number } {
  const { width, height } = newNote
  const notes = shapes.filter(({ source }) => source.type === 'note')
  const nodes = cards.map(({ x, y, shape }) => ({ x, y, width: cardSize.width, height: shape.height }))
  const taken: Box[] = [...nodes, ...notes]
  const middle = { x: view.x + (view.width - width) / 2, y: view.y + (view.height - height) / 2 }
  const reach = (room: number): number => Math.max(0, Math.min(maxSteps, Math.floor(room / 2 / step)))
  const [across, down] = [reach(view.width - width - 2 * step), reach(view.height - height - 2 * step)]
  const free = steps(across).flatMap(dx =>
    steps(down)
      .map(dy => ({ x: middle.x + dx * step, y: middle.y + dy * step }))
      .filter(({ x, y }) => {
        const around = { x: x - step / 2, y: y - step / 2, width: width + step, height: height + step }
        return taken.every(box => areApart(box, around))
      }),
  )
  const distance = ({ x, y }: { x: number; y: number }): number => Math.hypot(x - middle.x, y - middle.y)
  const beside = { x: Math.max(...taken.map(box => box.x + box.width)) + step, y: middle.y }
  const [first = beside, ...others] = free
  return others.reduce((best, each) => (distance(each) < distance(best) ? each : best), first)
}

const steps = (most: number): number[] => Array.from({ length: 2 * most + 1 }, (_, at) => at - most)
