import { Graph as DagreGraph, layout } from '@dagrejs/dagre'
import type { Graph, GraphEdge, Point, Positions } from './graph.ts'

/** Up to this size the better layout is fast enough; its time grows with the square of the graph. */
const careful = { nodes: 80, edges: 160 } as const

/**
 * Positions for all nodes: `known` ones stay, the others are placed near their neighbours, or everything from
 * left to right if none is known. Positions are top left corners. The result is deterministic.
 */
export function layOut(graph: Graph, known: Positions, size: SizeOf, casesOf: CasesOf = () => []): Positions {
  const placed = graph.nodes.flatMap(({ id }): [string, Point][] => {
    const place = Object.hasOwn(known, id) ? known[id] : undefined
    return place && Number.isFinite(place.x) && Number.isFinite(place.y) ? [[id, place]] : []
  })
  if (placed.length === 0) return tidyUp(graph, size, casesOf)
  // `known` may contain more than the nodes of this graph; it is returned as it is only if it matches
  // exactly.
  if (placed.length === graph.nodes.length && placed.length === Object.keys(known).length) return known
  return placeNearNeighbours(graph, new Map(placed), size)
}

/** The branches of a node in the order in which they are listed; none for a node without branches. */
export type CasesOf = (id: string) => readonly string[]

/** Lays out all nodes from left to right; branches from top to bottom, in the order of their node. */
export function tidyUp(graph: Graph, size: SizeOf, casesOf: CasesOf = () => []): Positions {
  const isSmall = graph.nodes.length <= careful.nodes && graph.edges.length <= careful.edges
  const sorted = inBranchOrder(graph, casesOf)
  if (!isSmall) return layOutInLayers(sorted, size)
  const best = layOutWithDagre(sorted, size)
  // The layout with the fewest crossings may turn the branches of a node upside down.
  return keepsBranchOrder(sorted, best) ? best : layOutWithDagre(sorted, size, true)
}

/** Nodes in the order of a walk that takes the branches of each node in their order, and edges likewise. */
function inBranchOrder(graph: Graph, casesOf: CasesOf): Graph {
  const outgoing = new Map<string, GraphEdge[]>(graph.nodes.map(({ id }) => [id, []]))
  for (const edge of graph.edges) outgoing.get(edge.source.cell)?.push(edge)
  const entered = new Set(graph.edges.map(({ target }) => target.cell))
  for (const [id, edges] of outgoing) {
    const cases = casesOf(id)
    const rank = ({ data }: GraphEdge): number => {
      const place = data?.case === undefined ? -1 : cases.indexOf(data.case)
      // Edges of every case, and of cases that no longer exist, come last.
      return place === -1 ? cases.length : place
    }
    edges.sort((one, other) => rank(one) - rank(other))
  }
  const seen = new Set<string>()
  const roots = [...graph.nodes.filter(({ id }) => !entered.has(id)), ...graph.nodes]
  const stack = roots.map(({ id }) => id).reverse()
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (seen.has(id) || !outgoing.has(id)) continue
    seen.add(id)
    stack.push(
      ...outgoing
        .get(id)!
        .map(({ target }) => target.cell)
        .reverse(),
    )
  }
  const nodes = new Map(graph.nodes.map(node => [node.id, node]))
  return {
    ...graph,
    nodes: [...seen].map(id => nodes.get(id)!),
    edges: [...seen].flatMap(id => outgoing.get(id)!),
  }
}

/** Whether the targets of each branching node stand in the order of its branches. */
function keepsBranchOrder({ edges }: Graph, places: Positions): boolean {
  return edges.every((edge, index) => {
    const next = edges[index + 1]
    if (edge.data?.case === undefined || next?.data?.case === undefined) return true
    const [one, other] = [places[edge.target.cell], places[next.target.cell]]
    if (edge.source.cell !== next.source.cell) return true
    return (one?.y ?? 0) <= (other?.y ?? 0)
  })
}

/**
 * Layers with few crossings and straight edges. Slow for hundreds of nodes. `isOrderFixed` keeps the order of the nodes
 * instead of avoiding crossings.
 */
function layOutWithDagre(graph: Graph, size: SizeOf, isOrderFixed = false): Positions {
  const drawn = new DagreGraph()
  drawn.setGraph({ rankdir: 'LR', nodesep: gaps.down, ranksep: gaps.across })
  drawn.setDefaultEdgeLabel(() => ({}))
  // Internal names, because some ids break the library's plain objects.
  const names = new Map(graph.nodes.map(({ id }, index) => [id, `n${index}`]))
  for (const [id, name] of names) drawn.setNode(name, { ...size(id) })
  for (const { source, target } of graph.edges) {
    const [from, to] = [names.get(source.cell), names.get(target.cell)]
    if (from !== undefined && to !== undefined && from !== to) drawn.setEdge(from, to)
  }
  layout(drawn, { disableOptimalOrderHeuristic: isOrderFixed })
  const places = [...names].map(([id, name]): [string, Point] => {
    const { x, y } = drawn.node(name) as Point
    const { width, height } = size(id)
    return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }]
  })
  return Object.fromEntries(places)
}

/** Places the nodes that are not in `placed`, each beside its neighbours without overlaps. */
function placeNearNeighbours(graph: Graph, placed: ReadonlyMap<string, Point>, size: SizeOf): Positions {
  const places = new Map(placed)
  const before = new Map<string, string[]>(graph.nodes.map(({ id }) => [id, []]))
  const after = new Map<string, string[]>(graph.nodes.map(({ id }) => [id, []]))
  for (const { source, target } of graph.edges) {
    if (!before.has(source.cell) || !after.has(target.cell)) continue
    before.get(target.cell)!.push(source.cell)
    after.get(source.cell)!.push(target.cell)
  }
  const place = (id: string): void => {
    const preferred = preferredPlace(id, before.get(id)!, after.get(id)!, places, size)
    places.set(id, freePlace(id, preferred, places, size))
  }
  // From placed nodes outwards, so that every node except islands has a placed neighbour.
  const reached = new Set(places.keys())
  for (const id of reached) {
    if (!places.has(id)) place(id)
    for (const next of [...after.get(id)!, ...before.get(id)!]) reached.add(next)
  }
  for (const { id } of graph.nodes) {
    if (places.has(id)) continue
    // Islands start at their first node.
    const island = new Set([id])
    for (const member of island) {
      if (!places.has(member)) place(member)
      for (const next of [...after.get(member)!, ...before.get(member)!]) island.add(next)
    }
  }
  return Object.fromEntries(graph.nodes.map(({ id }) => [id, places.get(id)!]))
}

/** Prefers a place to the right of a predecessor, else to the left of a successor, else below everything. */
function preferredPlace(
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

/** The nearest free position above or below the preferred one. */
function freePlace(id: string, preferred: Point, places: ReadonlyMap<string, Point>, size: SizeOf): Point {
  const { width, height } = size(id)
  const x = Math.round(preferred.x)
  const inTheWay = [...places.keys()]
    .map(other => boxOf(other, places, size)!)
    .filter(box => box.left < x + width + gaps.down && box.right > x - gaps.down)
    .map(box => ({ from: box.top - gaps.down - height, to: box.bottom + gaps.down }))
  // One pass in each direction suffices: with sorted intervals, each can only push further the same way.
  let down = preferred.y
  for (const { from, to } of inTheWay.toSorted((one, other) => one.from - other.from)) {
    if (from < down && down < to) down = to
  }
  let up = preferred.y
  for (const { from, to } of inTheWay.toSorted((one, other) => other.to - one.to)) {
    if (from < up && up < to) up = from
  }
  return { x, y: Math.round(down - preferred.y <= preferred.y - up ? down : up) }
}

const sweeps = 4

interface Links {
  readonly before: ReadonlyMap<string, readonly string[]>
  readonly after: ReadonlyMap<string, readonly string[]>
}

/** Layers from left to right in nearly linear time, for large graphs. */
export function layOutInLayers(graph: Graph, size: SizeOf): Positions {
  const links = linksOf(graph)
  const layers = layersOf(graph, links)
  const middles = new Map<string, number>()
  for (const layer of layers) stack(layer, () => undefined, middles, size)
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForward = sweep % 2 === 0
    const neighbours = isForward ? links.before : links.after
    for (const layer of isForward ? layers : layers.toReversed()) {
      const preferred = (id: string) => average((neighbours.get(id) ?? []).map(other => middles.get(other)!))
      const preferredMiddles = new Map(layer.map(id => [id, preferred(id) ?? middles.get(id)!]))
      layer.sort((one, other) => preferredMiddles.get(one)! - preferredMiddles.get(other)!)
      stack(layer, id => preferredMiddles.get(id), middles, size)
    }
  }
  return placesOf(layers, middles, size)
}

function linksOf(graph: Graph): Links {
  const before = new Map<string, string[]>(graph.nodes.map(({ id }) => [id, []]))
  const after = new Map<string, string[]>(graph.nodes.map(({ id }) => [id, []]))
  for (const { source, target } of graph.edges) {
    if (source.cell === target.cell || !before.has(source.cell) || !before.has(target.cell)) continue
    before.get(target.cell)!.push(source.cell)
    after.get(source.cell)!.push(target.cell)
  }
  return { before, after }
}

/** Each node is one layer after the last of its predecessors. */
function layersOf(graph: Graph, { before, after }: Links): string[][] {
  const open = new Map([...before].map(([id, sources]) => [id, sources.length]))
  const depths = new Map<string, number>()
  const ready = graph.nodes.map(node => node.id).filter(id => open.get(id) === 0)
  const left = new Set(graph.nodes.map(node => node.id))
  while (left.size > 0) {
    // If no node is ready there is a cycle, which is broken at its first node.
    const id = ready.pop() ?? left.values().next().value!
    if (!left.delete(id)) continue
    const depth = depths.get(id) ?? 0
    depths.set(id, depth)
    for (const next of after.get(id)!) {
      if (!left.has(next)) continue
      depths.set(next, Math.max(depths.get(next) ?? 0, depth + 1))
      open.set(next, open.get(next)! - 1)
      if (open.get(next) === 0) ready.push(next)
    }
  }
  const layers = Array.from({ length: Math.max(-1, ...depths.values()) + 1 }, (): string[] => [])
  for (const { id } of graph.nodes) layers[depths.get(id)!]!.push(id)
  return layers
}

/** Stacks the nodes of a layer, as close to their preferred positions as their order allows. */
function stack(
  layer: readonly string[],
  preferredOf: (id: string) => number | undefined,
  middles: Map<string, number>,
  size: SizeOf,
): void {
  let end = Number.NEGATIVE_INFINITY
  const missed: number[] = []
  const starts = layer.map(id => {
    const { height } = size(id)
    const preferred = preferredOf(id)
    const free = end === Number.NEGATIVE_INFINITY ? 0 : end + gaps.down
    const start = preferred === undefined ? free : Math.max(preferred - height / 2, end + gaps.down)
    if (preferred !== undefined) missed.push(start - (preferred - height / 2))
    end = start + height
    return start
  })
  const shift = average(missed) ?? Math.max(0, end) / 2
  for (const [index, id] of layer.entries()) {
    middles.set(id, starts[index]! - shift + size(id).height / 2)
  }
}

function placesOf(
  layers: readonly string[][],
  middles: ReadonlyMap<string, number>,
  size: SizeOf,
): Positions {
  const places: [string, Point][] = []
  let x = 0
  for (const layer of layers) {
    const width = Math.max(0, ...layer.map(id => size(id).width))
    for (const id of layer) {
      const own = size(id)
      const y = middles.get(id)! - own.height / 2
      places.push([id, { x: Math.round(x + (width - own.width) / 2), y: Math.round(y) }])
    }
    x += width + gaps.across
  }
  const top = places.reduce((least, [, place]) => Math.min(least, place.y), Number.POSITIVE_INFINITY)
  return Object.fromEntries(places.map(([id, place]) => [id, { x: place.x, y: place.y - top }]))
}

const average = (numbers: readonly number[]): number | undefined =>
  numbers.length === 0 ? undefined : numbers.reduce((sum, number) => sum + number, 0) / numbers.length

interface Size {
  readonly width: number
  readonly height: number
}
export type SizeOf = (id: string) => Size

/** Gaps between nodes: between layers, and between two nodes of a layer. */
const gaps = { across: 80, down: 40 } as const
