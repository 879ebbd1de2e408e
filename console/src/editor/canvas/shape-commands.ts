import type { ShapeColor } from '../../../../src/contract/layout-shape.ts'
import type { Edit } from '../model/edit.ts'
import type { EditorStore } from '../model/editor-store.ts'
import type { Point, Positions } from '../model/graph.ts'
import {
  freshShapeId,
  type Group,
  membersOf,
  minNoteSize,
  type Note,
  type ShapeChanges,
  shapeOf,
} from '../model/shapes.ts'
import { gridStep } from './card-size.ts'

/** Commands for notes and groups. */
export interface ShapeCommands {
  /** Returns the id of the note. */
  addNote(at: Point): string | undefined
  changeNote(id: string, change: Partial<Pick<Note, 'text' | 'width' | 'height'>>): void
  /** Makes the selected notes larger or smaller. */
  resizeNotes(dx: number, dy: number): void
  /** A group of the selected nodes and notes, which leave their groups. Returns its id. */
  group(title: string): string | undefined
  renameGroup(id: string, title: string): void
  /** Removes the frames of the selected groups, and the selected nodes and notes from theirs. */
  ungroup(): void
  /** Colours the selected notes and groups. */
  setColor(color: ShapeColor): void
  /** Everything that moves with the selection. */
  moved(): { nodes: string[]; notes: string[] }
  /** The edits that move notes, and remove the selected notes and groups with their members. */
  moveEdits(places: Positions): Edit[]
  removeEdits(): Edit[]
}

export const newNote = { width: 240, height: 144, text: '', color: 'yellow' } as const

interface ShapeSource {
  store: EditorStore
  mayWrite: boolean
  edit(change: Edit, group?: string): void
}

export function createShapeCommands({ store, mayWrite, edit }: ShapeSource): ShapeCommands {
  const put = (shapes: ShapeChanges, group?: string): void => edit({ type: 'shapes.put', shapes }, group)
  const freshId = (type: 'note' | 'group'): string => {
    const { graph, shapes } = store.state()
    return freshShapeId(type, new Set([...graph.nodes.map(({ id }) => id), ...Object.keys(shapes)]))
  }
  const noteOf = (id: string): Note | undefined => {
    const shape = shapeOf(store.state().shapes, id)
    return shape?.type === 'note' ? shape : undefined
  }
  /** Groups without these members. */
  const without = (nodes: ReadonlySet<string>, notes: ReadonlySet<string>): Record<string, Group> => {
    const { shapes } = store.state()
    const left = Object.entries(shapes).flatMap(([id, shape]): [string, Group][] => {
      if (shape.type !== 'group') return []
      const kept = {
        ...shape,
        nodes: shape.nodes.filter(node => !nodes.has(node)),
        notes: shape.notes.filter(note => !notes.has(note)),
      }
      const isSame = kept.nodes.length + kept.notes.length === shape.nodes.length + shape.notes.length
      return isSame ? [] : [[id, kept]]
    })
    return Object.fromEntries(left)
  }
  const moved = (): { nodes: string[]; notes: string[] } => {
    const { selection, shapes } = store.state()
    const inside = membersOf(shapes, selection.shapes)
    return { nodes: [...new Set([...selection.nodes, ...inside.nodes])], notes: inside.notes }
  }

  return {
    moved,
    addNote: ({ x, y }) => {
      if (!mayWrite) return undefined
      const id = freshId('note')
      const snap = (value: number): number => Math.round(value / gridStep) * gridStep
      const shapes = Object.values(store.state().shapes)
      const isTaken = (at: Point): boolean =>
        shapes.some(shape => shape.type === 'note' && shape.x === at.x && shape.y === at.y)
      let at = { x: snap(x), y: snap(y) }
      while (isTaken(at)) at = { x: at.x + 2 * gridStep, y: at.y + 2 * gridStep }
      put({ [id]: { type: 'note', ...at, ...newNote } })
      store.select([], [], [id])
      return id
    },
    changeNote: (id, change) => {
      const note = noteOf(id)
      if (note) put({ [id]: { ...note, ...change } })
    },
    resizeNotes: (dx, dy) => {
      const ids = [...store.state().selection.shapes]
      const sized = ids.flatMap(id => {
        const note = noteOf(id)
        const [width, height] = [(note?.width ?? 0) + dx, (note?.height ?? 0) + dy]
        return note && Math.min(width, height) >= minNoteSize
          ? [[id, { ...note, width, height }] as const]
          : []
      })
      put(Object.fromEntries(sized), `resize ${ids.join(' ')}`)
    },
    group: title => {
      const { nodes, notes } = moved()
      if (!mayWrite || nodes.length + notes.length === 0) return undefined
      const { selection, shapes } = store.state()
      const id = freshId('group')
      const groups = [...selection.shapes].filter(each => shapeOf(shapes, each)?.type === 'group')
      put({
        ...without(new Set(nodes), new Set(notes)),
        // Frames inside frames would only be confusing.
        ...Object.fromEntries(groups.map(each => [each, null])),
        [id]: { type: 'group', title, color: 'blue', nodes, notes },
      })
      store.select([], [], [id])
      return id
    },
    renameGroup: (id, title) => {
      const shape = shapeOf(store.state().shapes, id)
      if (shape?.type === 'group') put({ [id]: { ...shape, title } })
    },
    ungroup: () => {
      const { selection, shapes } = store.state()
      const { nodes, notes } = membersOf(shapes, selection.shapes)
      const groups = [...selection.shapes].filter(id => shapeOf(shapes, id)?.type === 'group')
      const chosen = [...selection.shapes].filter(id => shapeOf(shapes, id)?.type === 'note')
      put({
        ...without(selection.nodes, new Set(chosen)),
        ...Object.fromEntries(groups.map(id => [id, null])),
      })
      if (groups.length > 0) store.select([...selection.nodes, ...nodes], [], notes)
    },
    setColor: color => {
      const { selection, shapes } = store.state()
      const coloured = [...selection.shapes].flatMap(id => {
        const shape = shapeOf(shapes, id)
        return shape ? [[id, { ...shape, color }] as const] : []
      })
      put(Object.fromEntries(coloured))
    },
    moveEdits: places => {
      const changes = Object.entries(places).flatMap(([id, { x, y }]) => {
        const note = noteOf(id)
        return note ? [[id, { ...note, x, y }] as const] : []
      })
      return changes.length > 0 ? [{ type: 'shapes.put', shapes: Object.fromEntries(changes) }] : []
    },
    removeEdits: () => {
      const { selection, shapes } = store.state()
      if (selection.shapes.size === 0) return []
      const { nodes, notes } = membersOf(shapes, selection.shapes)
      const gone = [...selection.shapes, ...notes]
      return [
        { type: 'shapes.put', shapes: Object.fromEntries(gone.map(id => [id, null])) },
        ...nodes.map(id => ({ type: 'node.remove' as const, id })),
      ]
    },
  }
}
