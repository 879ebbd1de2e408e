import type { GroupShape, NoteShape, ShapeColor } from '../../../../src/contract/layout-shape.ts'
import { isRecord, member, memberNames, sameJson } from './same-json.ts'

/** Copies of the server's `shapeColors`, `minNoteSize` and `shapeLimits`. */
export const shapeColors: readonly ShapeColor[] = ['yellow', 'green', 'blue', 'purple', 'red', 'grey']
export const minNoteSize = 40
export const shapeLimits = { count: 200, textLength: 4000, titleLength: 200, size: 4000 } as const

/** The frame of a group: the distance to its members, and the height of its name above them. */
export const groupFrame = { padding: 24, head: 28 } as const

export type Note = Readonly<NoteShape>
export type Group = Readonly<GroupShape>
export type Shape = Note | Group

/** Sticky notes and groups by id. Like positions, they are stored beside the graph. */
export type Shapes = Readonly<Record<string, Shape>>

/** New notes and groups; null removes one. */
export type ShapeChanges = Readonly<Record<string, Shape | null>>

export const noShapes: Shapes = {}

export const shapeOf = (shapes: Shapes, id: string): Shape | undefined =>
  Object.hasOwn(shapes, id) ? shapes[id] : undefined

/** The same object if nothing changes. */
export function applyShapes(shapes: Shapes, changes: ShapeChanges): Shapes {
  const changed = Object.entries(changes).filter(
    ([id, shape]) => !sameJson(shapeOf(shapes, id) ?? null, shape),
  )
  if (changed.length === 0) return shapes
  const next = Object.entries({ ...shapes, ...Object.fromEntries(changed) })
  return Object.fromEntries(next.filter((entry): entry is [string, Shape] => entry[1] !== null))
}

/** The changes that lead from one state to another. */
export function shapeChanges(from: Shapes, to: Shapes): ShapeChanges {
  if (from === to) return {}
  const changed = memberNames(from, to).filter(id => !sameJson(shapeOf(from, id), shapeOf(to, id)))
  return Object.fromEntries(changed.map(id => [id, shapeOf(to, id) ?? null]))
}

/**
 * Groups without members that no longer exist, and without empty groups; `renamed` is a node with a new id. The same
 * object if nothing changes.
 */
export function withKnownMembers(
  shapes: Shapes,
  nodeIds: ReadonlySet<string>,
  renamed?: { id: string; to: string },
): Shapes {
  const isNote = (id: string): boolean => shapeOf(shapes, id)?.type === 'note'
  const changes = Object.entries(shapes).flatMap(([id, shape]): [string, Shape | null][] => {
    if (shape.type !== 'group') return []
    const nodes = shape.nodes
      .map(node => (node === renamed?.id ? renamed.to : node))
      .filter(node => nodeIds.has(node))
    const notes = shape.notes.filter(isNote)
    return [[id, nodes.length + notes.length === 0 ? null : { ...shape, nodes, notes }]]
  })
  return applyShapes(shapes, Object.fromEntries(changes))
}

/** The group that a node or note belongs to. */
export const groupOf = (shapes: Shapes, id: string): string | undefined =>
  Object.entries(shapes).find(
    ([, shape]) => shape.type === 'group' && (shape.nodes.includes(id) || shape.notes.includes(id)),
  )?.[0]

/** Everything that moves with these shapes: notes themselves, and the members of groups. */
export function membersOf(shapes: Shapes, ids: Iterable<string>): { nodes: string[]; notes: string[] } {
  const found = [...ids].map(id => [id, shapeOf(shapes, id)] as const)
  const groups = found.flatMap(([, shape]) => (shape?.type === 'group' ? [shape] : []))
  const notes = found.flatMap(([id, shape]) => (shape?.type === 'note' ? [id] : []))
  return {
    nodes: [...new Set(groups.flatMap(group => group.nodes))],
    notes: [...new Set([...notes, ...groups.flatMap(group => group.notes)])],
  }
}

/**
 * Merges the notes and groups of two users with a common base, member by member. If both changed the same member, mine
 * wins, except that both texts are kept. An item that one removed and the other changed is kept, too.
 */
export function mergeShapes(base: Shapes, mine: Shapes, theirs: Shapes): Shapes {
  const merged = memberNames(mine, theirs).flatMap((id): [string, Shape][] => {
    const sides = [base, mine, theirs].map(side => shapeOf(side, id)) as [
      Shape | undefined,
      Shape | undefined,
      Shape | undefined,
    ]
    const shape = mergeShape(...sides)
    return shape ? [[id, shape]] : []
  })
  return applyShapes(mine, {
    ...Object.fromEntries(Object.keys(mine).map(id => [id, null])),
    ...Object.fromEntries(merged),
  })
}

function mergeShape(
  base: Shape | undefined,
  mine: Shape | undefined,
  theirs: Shape | undefined,
): Shape | undefined {
  if (sameJson(mine, theirs) || sameJson(theirs, base)) return mine
  if (sameJson(mine, base)) return theirs
  if (!mine || !theirs) return mine ?? theirs
  if (!isRecord(base)) return mine
  const fields = memberNames(mine, theirs).map(name => {
    const [was, own, other] = [base, mine, theirs].map(side => member(side, name))
    if (sameJson(own, was)) return [name, other]
    const areBothTexts = name === 'text' && !sameJson(other, was) && !sameJson(own, other)
    return [name, areBothTexts ? bothTexts(String(own), String(other)) : own]
  })
  return Object.fromEntries(fields) as Shape
}

/** Joins two texts, unless one of them only continues the other. */
function bothTexts(mine: string, theirs: string): string {
  if (mine.startsWith(theirs)) return mine
  return theirs.startsWith(mine) ? theirs : `${mine}\n\n${theirs}`
}

/** An id that no node, note or group has. */
export function freshShapeId(type: Shape['type'], taken: ReadonlySet<string>): string {
  // Random: two users may add notes at the same time.
  for (;;) {
    const id = `${type}_${crypto.getRandomValues(new Uint32Array(1))[0]!.toString(36)}`
    if (!taken.has(id)) return id
  }
}
