import { pointerSegment } from '../contract/finding.ts'
import { type LayoutShape, minNoteSize, type ShapeColor, shapeColors } from '../contract/layout-shape.ts'
import { limits } from '../contract/limits.ts'
import { invalidField } from '../kernel/app-error.ts'
import { isRecord } from '../kernel/is-record.ts'

/** Notes and groups as a client sent them; undefined removes one. `pointer` is their place in the request. */
export function readShapes(value: unknown, pointer: string): Map<string, LayoutShape | undefined> {
  if (!isRecord(value)) throw invalidField(pointer, 'must be an object')
  const entries = Object.entries(value)
  if (entries.length > limits.layoutShapes) throw tooManyShapes(pointer, entries.length)
  return new Map(
    entries.map(([id, shape]) => {
      if (id.length > limits.placedNodeIdLength)
        throw invalidField(
          pointer,
          `has an id of ${id.length} characters; at most ${limits.placedNodeIdLength}`,
        )
      return [id, shape === null ? undefined : readShape(shape, `${pointer}/${pointerSegment(id)}`)]
    }),
  )
}

export function checkPositions(changes: ReadonlyMap<string, unknown>): void {
  if (changes.size > limits.graphNodes)
    throw invalidField(
      '/positions',
      `names ${changes.size} nodes, but a graph has at most ${limits.graphNodes}; send fewer`,
    )
  const longest = Math.max(0, ...[...changes.keys()].map(({ length }) => length))
  if (longest > limits.placedNodeIdLength)
    throw invalidField(
      '/positions',
      `names a node by ${longest} characters; ids of at most ${limits.placedNodeIdLength} can be placed`,
    )
}

export const tooManyShapes = (pointer: string, count: number) =>
  invalidField(
    pointer,
    `would be ${count} sticky notes and groups, but a drawing has at most ${limits.layoutShapes}; remove some`,
  )

/** Only known members are stored. */
function readShape(shape: unknown, pointer: string): LayoutShape {
  if (!isRecord(shape)) throw invalidField(pointer, 'must be an object, or null to remove it')
  const { type, color = 'yellow' } = shape
  if (!shapeColors.includes(color as ShapeColor))
    throw invalidField(`${pointer}/color`, `must be one of ${shapeColors.join(', ')}`)
  const number = (name: string, least: number, most: number): number => {
    const given = shape[name]
    if (typeof given !== 'number' || given < least || given > most)
      throw invalidField(`${pointer}/${name}`, `must be a number between ${least} and ${most}`)
    return given
  }
  const text = (name: string, longest: number): string => {
    const given = shape[name] ?? ''
    if (typeof given !== 'string' || given.length > longest)
      throw invalidField(`${pointer}/${name}`, `must be text of at most ${longest} characters`)
    return given
  }
  const ids = (name: string): string[] => {
    const given = shape[name] ?? []
    const isId = (id: unknown): id is string =>
      typeof id === 'string' && id.length <= limits.placedNodeIdLength
    if (!Array.isArray(given) || given.length > limits.graphNodes || !given.every(isId))
      throw invalidField(`${pointer}/${name}`, `must be a list of at most ${limits.graphNodes} ids`)
    return [...new Set(given)]
  }
  const own = { color: color as ShapeColor }
  if (type === 'note')
    return {
      type,
      x: number('x', -limits.coordinate, limits.coordinate),
      y: number('y', -limits.coordinate, limits.coordinate),
      width: number('width', minNoteSize, limits.layoutNoteSize),
      height: number('height', minNoteSize, limits.layoutNoteSize),
      text: text('text', limits.layoutNoteLength),
      ...own,
    }
  if (type === 'group')
    return {
      type,
      title: text('title', limits.layoutTitleLength),
      ...own,
      nodes: ids('nodes'),
      notes: ids('notes'),
    }
  throw invalidField(`${pointer}/type`, 'must be note or group')
}
