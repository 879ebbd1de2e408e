import type { Graph, Point, Positions } from './graph.ts'
import { gaps, type SizeOf } from './node-size.ts'

const sweeps = 4

interface Links {
  readonly before: ReadonlyMap<string, readonly string[]>
  readonly after: ReadonlyMap<string, readonly string[]>
}

/** Layers from left to right in about linear time, for graphs that are large. */
export function layOutInLayers(graph: Graph, size: SizeOf): Positions {
  const links = linksOf(graph)
  const layers = layersOf(graph, links)
  const middles = new Map<string, number>()
  for (const layer of layers) stack(layer, () => undefined, middles, size)
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForward = sweep % 2 === 0
    const neighbours = isForward ? links.before : links.after
    for (const layer of isForward ? layers : layers.toReversed()) {
      const wish = (id: string) => average((neighbours.get(id) ?? []).map(other => middles.get(other)!))
      const wishes = new Map(layer.map(id => [id, wish(id) ?? middles.get(id)!]))
      layer.sort((one, other) => wishes.get(one)! - wishes.get(other)!)
      stack(layer, id => wishes.get(id), middles, size)
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

/** Each node one layer behind the last of those before it. */
function layersOf(graph: Graph, { before, after }: Links): string[][] {
  const open = new Map([...before].map(([id, sources]) => [id, sources.length]))
  const depths = new Map<string, number>()
  const ready = graph.nodes.map(node => node.id).filter(id => open.get(id) === 0)
  const left = new Set(graph.nodes.map(node => node.id))
  while (left.size > 0) {
    // With nothing ready there is a circle, which is cut at its first node.
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

/** Puts a layer's nodes below one another, as near to where they wish to be as their order allows. */
function stack(
  layer: readonly string[],
  wishOf: (id: string) => number | undefined,
  middles: Map<string, number>,
  size: SizeOf,
): void {
  let end = Number.NEGATIVE_INFINITY
  const missed: number[] = []
  const starts = layer.map(id => {
    const { height } = size(id)
    const wish = wishOf(id)
    const free = end === Number.NEGATIVE_INFINITY ? 0 : end + gaps.down
    const start = wish === undefined ? free : Math.max(wish - height / 2, end + gaps.down)
    if (wish !== undefined) missed.push(start - (wish - height / 2))
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
