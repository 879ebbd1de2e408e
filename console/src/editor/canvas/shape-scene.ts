import { type Box, boxAround } from '../model/align.ts'
import { type Group, groupFrame, type Shape, type Shapes } from '../model/shapes.ts'

/** A note or a group as it is drawn. */
export interface DrawnShape extends Box {
  readonly id: string
  readonly source: Shape
  readonly isSelected: boolean
  /** The label for screen readers. */
  readonly label: string
}

export interface ShapeWords {
  note: (text: string) => string
  groupLabel: (title: string, count: number) => string
}

/** The frame around the members of a group; undefined if none is drawn. */
export function frameOf(
  group: Group,
  boxOf: (id: string, isNote: boolean) => Box | undefined,
): Box | undefined {
  const { padding, head } = groupFrame
  const around = boxAround([
    ...group.nodes.flatMap(id => boxOf(id, false) ?? []),
    ...group.notes.flatMap(id => boxOf(id, true) ?? []),
  ])
  return (
    around && {
      x: around.x - padding,
      y: around.y - padding - head,
      width: around.width + 2 * padding,
      height: around.height + 2 * padding + head,
    }
  )
}

/** `cardBox` returns the box of a drawn node. */
export function drawShapes(
  shapes: Shapes,
  selected: ReadonlySet<string>,
  cardBox: (id: string) => Box | undefined,
  words: ShapeWords,
): DrawnShape[] {
  return Object.entries(shapes).flatMap(([id, source]): DrawnShape[] => {
    const isSelected = selected.has(id)
    if (source.type === 'note') {
      const { x, y, width, height } = source
      return [{ id, source, isSelected, label: words.note(source.text), x, y, width, height }]
    }
    const frame = frameOf(source, (member, isNote) => {
      if (!isNote) return cardBox(member)
      const note = shapes[member]
      return note?.type === 'note' ? note : undefined
    })
    const label = words.groupLabel(source.title, source.nodes.length)
    return frame ? [{ id, source, isSelected, label, ...frame }] : []
  })
}
