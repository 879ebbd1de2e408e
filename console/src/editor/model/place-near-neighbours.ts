import type { Graph, Point, Positions } from './graph.ts'
import { gaps, type SizeOf } from './node-size.ts'

/** Finds places for the nodes that are not in `placed`, each beside its neighbours and on top of nobody. */
export function placeNearNeighbours(
  graph: Graph,
  placed: ReadonlyMap<string, Point>,
  size: SizeOf,
): Positions {
  const places = new Map(placed)
  const before = new Map<string, string[]>(graph.nodes.map(({ id }) => [id, []]))
  const after = new Map<string, string[]>(graph.nodes.map(({ id }) => [id, []]))
  for (const { source, target } of graph.edges) {
    if (!before.has(source.cell) || !after.has(target.cell)) continue
    before.get(target.cell)!.push(source.cell)
    after.get(source.cell)!.push(target.cell)
  }
  const place = (id: string): void => {
    const wish = wishFor(id, before.get(id)!, after.get(id)!, places, size)
    places.set(id, freePlace(id, wish, places, size))
  }
  // From those that are placed outwards, so that every node but those of islands finds a neighbour.
  const reached = new Set(places.keys())
  for (const id of reached) {
    if (!places.has(id)) place(id)
    for (const next of [...after.get(id)!, ...before.get(id)!]) reached.add(next)
  }
  for (const { id } of graph.nodes) {
    if (places.has(id)) continue
    // An island is walked from its first node in the same way.
    const island = new Set([id])
    for (const member of island) {
      if (!places.has(member)) place(member)
      for (const next of [...after.get(member)!, ...before.get(member)!]) island.add(next)
    }
  }
  return Object.fromEntries(graph.nodes.map(({ id }) => [id, places.get(id)!]))
}

/** Right of what comes before it, else left of what comes after it, else below everything. */
function wishFor(
  id: string,
  before: readonly string[],
  after: readonly string[],
  places: ReadonlyMap<string, Point>,
  size: SizeOf,
): Point {
  const own = size(id)
  const boxes = (ids: readonly string[]) => ids.flatMap(other => boxOf(other, places, size) ?? [])
  const [sources, targets] = [boxes(before), boxes(after)]
  const middle = (near: readonly Box[]): number =>
    near.reduce((sum, box) => sum + (box.top + box.bottom) / 2, 0) / near.length - own.height / 2
  if (sources.length > 0) {
    return { x: Math.max(...sources.map(box => box.right)) + gaps.across, y: middle(sources) }
  }
  if (targets.length > 0) {
    return { x: Math.min(...targets.map(box => box.left)) - gaps.across - own.width, y: middle(targets) }
  }
  const all = boxes([...places.keys()])
  const [left, bottom] = all.reduce(
    ([least, most], box) => [Math.min(least, box.left), Math.max(most, box.bottom)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )
  return { x: left, y: bottom + gaps.down }
}

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

function boxOf(id: string, places: ReadonlyMap<string, Point>, size: SizeOf): Box | undefined {
  const place = places.get(id)
  if (!place) return undefined
  const { width, height } = size(id)
  return { left: place.x, right: place.x + width, top: place.y, bottom: place.y + height }
}

/** The nearest place up or down from the wish where it touches no other node. */
function freePlace(id: string, wish: Point, places: ReadonlyMap<string, Point>, size: SizeOf): Point {
  const { width, height } = size(id)
  const x = Math.round(wish.x)
  const inTheWay = [...places.keys()]
    .map(other => boxOf(other, places, size)!)
    .filter(box => box.left < x + width + gaps.down && box.right > x - gaps.down)
    .map(box => ({ from: box.top - gaps.down - height, to: box.bottom + gaps.down }))
  // One pass each way is enough: of intervals in their order, each can only push farther the same way.
  let down = wish.y
  for (const { from, to } of inTheWay.toSorted((one, other) => one.from - other.from)) {
    if (from < down && down < to) down = to
  }
  let up = wish.y
  for (const { from, to } of inTheWay.toSorted((one, other) => other.to - one.to)) {
    if (from < up && up < to) up = from
  }
  return { x, y: Math.round(down - wish.y <= wish.y - up ? down : up) }
}
