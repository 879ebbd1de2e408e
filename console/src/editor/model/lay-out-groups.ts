import type { Graph, GraphEdge, Point, Positions } from './graph.ts'
import { type CasesOf, type SizeOf, tidyUp } from './lay-out.ts'
import { type Group, groupFrame, type Shapes, shapeOf } from './shapes.ts'

/** The gap between the nodes of a group and its notes. */
const noteGap = 24

interface TidyDrawing {
  positions: Positions
  /** Positions of the notes in groups; other notes stay. */
  notes: Positions
}

/** A group that is laid out by itself: places inside its frame, and the size of the frame. */
interface Block {
  readonly positions: Positions
  readonly notes: Positions
  readonly width: number
  readonly height: number
}

/**
 * Lays out all nodes so that the frame of a group has its members inside and no other node: each group is laid out by
 * itself, and is then one large node of the whole.
 */
export function tidyUpGroups(graph: Graph, shapes: Shapes, size: SizeOf, casesOf: CasesOf): TidyDrawing {
  const blockOf = new Map<string, string>()
  const blocks = new Map<string, Block>()
  const ids = new Set(graph.nodes.map(({ id }) => id))
  for (const group of Object.values(shapes)) {
    if (group.type !== 'group') continue
    const members = new Set(group.nodes.filter(id => ids.has(id) && !blockOf.has(id)))
    if (members.size === 0) continue
    const name = freeName(`group ${blocks.size}`, ids)
    for (const id of members) blockOf.set(id, name)
    blocks.set(name, layOutBlock(within(graph, members), notesOf(group, shapes), size, casesOf))
  }
  const whole = tidyUp(condensed(graph, blockOf), id => blocks.get(id) ?? size(id), casesOf)
  const placed = graph.nodes.map(({ id }): [string, Point] => {
    const name = blockOf.get(id)
    return [id, name === undefined ? whole[id]! : sum(whole[name]!, blocks.get(name)!.positions[id]!)]
  })
  const notes = [...blocks].flatMap(([name, block]) =>
    Object.entries(block.notes).map(([id, place]): [string, Point] => [id, sum(whole[name]!, place)]),
  )
  return { positions: Object.fromEntries(placed), notes: Object.fromEntries(notes) }
}

const sum = (one: Point, other: Point): Point => ({ x: one.x + other.x, y: one.y + other.y })

/** A name that no node has, because nodes may have any id. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  while (taken.has(free)) free += '.'
  return free
}

const within = (graph: Graph, members: ReadonlySet<string>): Graph => ({
  ...graph,
  nodes: graph.nodes.filter(({ id }) => members.has(id)),
  edges: graph.edges.filter(({ source, target }) => members.has(source.cell) && members.has(target.cell)),
})

const notesOf = (group: Group, shapes: Shapes) =>
  group.notes.flatMap(id => {
    const note = shapeOf(shapes, id)
    return note?.type === 'note' ? [{ id, width: note.width, height: note.height }] : []
  })

/** The notes of the group are placed below its nodes. */
function layOutBlock(graph: Graph, notes: ReturnType<typeof notesOf>, size: SizeOf, casesOf: CasesOf): Block {
  const { padding, head } = groupFrame
  const places = Object.entries(tidyUp(graph, size, casesOf))
  const left = Math.min(...places.map(([, { x }]) => x))
  const top = Math.min(...places.map(([, { y }]) => y))
  const corner = { x: padding - left, y: padding + head - top }
  const positions = places.map(([id, place]): [string, Point] => [id, sum(place, corner)])
  let right = Math.max(...positions.map(([id, { x }]) => x + size(id).width))
  let bottom = Math.max(...positions.map(([id, { y }]) => y + size(id).height))
  const below = notes.map(({ id, width, height }): [string, Point] => {
    const place = { x: padding, y: bottom + noteGap }
    right = Math.max(right, place.x + width)
    bottom = place.y + height
    return [id, place]
  })
  return {
    positions: Object.fromEntries(positions),
    notes: Object.fromEntries(below),
    width: right + padding,
    height: bottom + padding,
  }
}

/** The graph with one node in the place of each group, where its first member was. */
function condensed(graph: Graph, blockOf: ReadonlyMap<string, string>): Graph {
  if (blockOf.size === 0) return graph
  const names = new Set(graph.nodes.map(({ id }) => blockOf.get(id) ?? id))
  const nodes = new Map(graph.nodes.map(node => [node.id, node]))
  const edges = graph.edges.flatMap((edge): GraphEdge[] => {
    const { source, target, data, ...rest } = edge
    const [from, to] = [source.cell, target.cell].map(id => blockOf.get(id) ?? id) as [string, string]
    if (from === to) return []
    const ends = { source: { ...source, cell: from }, target: { ...target, cell: to } }
    // The branches of its members have no order among each other.
    return [{ ...rest, ...ends, ...(from === source.cell && data && { data }) }]
  })
  return { ...graph, nodes: [...names].map(id => nodes.get(id) ?? { id, type: 'base', data: {} }), edges }
}
