import type { Drawing, Edit } from './edit.ts'
import { edgeKey, type Graph, type GraphEdge, type Point, type Positions, withBranch } from './graph.ts'
import { renameNode } from './rename-node.ts'
import { applyShapes, noShapes, type ShapeChanges, withKnownMembers } from './shapes.ts'

/** The drawing after an edit. An edit that does not apply, such as of a deleted node, returns the same object. */
export function applyEdit(drawing: Drawing, edit: Edit): Drawing {
  const next = applyAlone(drawing, edit)
  const { shapes } = next
  if (!shapes || (next.graph.nodes === drawing.graph.nodes && shapes === drawing.shapes)) return next
  const ids = new Set(next.graph.nodes.map(node => node.id))
  const known = withKnownMembers(shapes, ids, edit.type === 'node.rename' ? edit : undefined)
  return known === shapes ? next : { ...next, shapes: known }
}

/** Groups may be left with members that the edit has removed. */
function applyAlone(drawing: Drawing, edit: Edit): Drawing {
  switch (edit.type) {
    case 'node.add':
      return addNode(drawing, edit)
    case 'node.remove':
      return removeNode(drawing, edit.id)
    case 'node.change':
      return changeNode(drawing, edit)
    case 'node.rename':
      return mayRename(drawing.graph, edit)
        ? { ...drawing, ...renameNode(drawing, edit.id, edit.to) }
        : drawing
    case 'edge.add':
      return addEdge(drawing, edit.edge)
    case 'edge.remove':
      return withEdges(drawing, removeEdge(drawing.graph.edges, edit.key))
    case 'edge.branch':
      return withEdges(drawing, branchEdge(drawing.graph.edges, edit))
    case 'edge.reconnect':
      return reconnectEdge(drawing, edit)
    case 'nodes.move':
      return moveNodes(drawing, edit.positions)
    case 'shapes.put':
      return putShapes(drawing, edit.shapes)
    case 'graph.replace':
      return replaceGraph(drawing, edit)
    case 'many':
      return edit.edits.reduce(applyEdit, drawing)
  }
}

type Of<Type extends Edit['type']> = Extract<Edit, { type: Type }>

const hasNode = (graph: Graph, id: string): boolean => graph.nodes.some(node => node.id === id)

/** Keys are compared often and edges are immutable, so each key is built once. */
const keys = new WeakMap<GraphEdge, string>()
function keyOf(edge: GraphEdge): string {
  let key = keys.get(edge)
  if (key === undefined) {
    key = edgeKey(edge)
    keys.set(edge, key)
  }
  return key
}

function addNode(drawing: Drawing, { node, position }: Of<'node.add'>): Drawing {
  const { graph, positions } = drawing
  if (hasNode(graph, node.id)) return drawing
  return {
    ...drawing,
    graph: { ...graph, nodes: [...graph.nodes, node] },
    positions: { ...positions, [node.id]: position },
  }
}

function removeNode(drawing: Drawing, id: string): Drawing {
  const { graph, positions } = drawing
  if (!hasNode(graph, id)) return drawing
  return {
    ...drawing,
    graph: {
      ...graph,
      nodes: graph.nodes.filter(node => node.id !== id),
      edges: graph.edges.filter(({ source, target }) => source.cell !== id && target.cell !== id),
    },
    positions: keepPositions(positions, placed => placed !== id),
  }
}

function changeNode(drawing: Drawing, { id, data }: Of<'node.change'>): Drawing {
  const { graph } = drawing
  const place = graph.nodes.findIndex(node => node.id === id)
  const node = graph.nodes[place]
  if (!node || node.data === data) return drawing
  return { ...drawing, graph: { ...graph, nodes: graph.nodes.with(place, { ...node, data }) } }
}

const mayRename = (graph: Graph, { id, to }: Of<'node.rename'>): boolean =>
  to !== '' && hasNode(graph, id) && !hasNode(graph, to)

function addEdge(drawing: Drawing, edge: GraphEdge): Drawing {
  const { graph } = drawing
  if (!hasNode(graph, edge.source.cell) || !hasNode(graph, edge.target.cell)) return drawing
  const key = keyOf(edge)
  if (graph.edges.some(other => keyOf(other) === key)) return drawing
  return withEdges(drawing, [...graph.edges, edge])
}

function removeEdge(edges: readonly GraphEdge[], key: string): readonly GraphEdge[] {
  const place = edges.findIndex(edge => keyOf(edge) === key)
  return place === -1 ? edges : edges.toSpliced(place, 1)
}

function branchEdge(edges: readonly GraphEdge[], { key, branch }: Of<'edge.branch'>): readonly GraphEdge[] {
  const place = edges.findIndex(edge => keyOf(edge) === key)
  const edge = edges[place]
  if (!edge || edge.data?.case === branch) return edges
  const branched = withBranch(edge, branch)
  const taken = edges.some((other, index) => index !== place && keyOf(other) === keyOf(branched))
  return taken ? edges : edges.with(place, branched)
}

function reconnectEdge(drawing: Drawing, { key, edge }: Of<'edge.reconnect'>): Drawing {
  const { graph } = drawing
  const place = graph.edges.findIndex(each => keyOf(each) === key)
  if (place === -1 || !hasNode(graph, edge.source.cell) || !hasNode(graph, edge.target.cell)) return drawing
  const wanted = keyOf(edge)
  if (graph.edges.some(other => keyOf(other) === wanted)) return drawing
  return withEdges(drawing, graph.edges.with(place, edge))
}

const withEdges = (drawing: Drawing, edges: readonly GraphEdge[]): Drawing =>
  edges === drawing.graph.edges ? drawing : { ...drawing, graph: { ...drawing.graph, edges } }

function moveNodes(drawing: Drawing, to: Positions): Drawing {
  const { graph, positions } = drawing
  const ids = new Set(graph.nodes.map(node => node.id))
  const moved = Object.entries(to).filter(
    ([id, point]) => ids.has(id) && !samePoint(placeOf(positions, id), point),
  )
  if (moved.length === 0) return drawing
  return { ...drawing, positions: { ...positions, ...Object.fromEntries(moved) } }
}

function putShapes(drawing: Drawing, changes: ShapeChanges): Drawing {
  const before = drawing.shapes ?? noShapes
  const shapes = applyShapes(before, changes)
  return shapes === before ? drawing : { ...drawing, shapes }
}

function replaceGraph(drawing: Drawing, { graph, positions, shapes }: Of<'graph.replace'>): Drawing {
  const ids = new Set(graph.nodes.map(node => node.id))
  const kept = positions ?? keepPositions(drawing.positions, id => ids.has(id))
  const drawn = shapes ?? drawing.shapes
  if (graph === drawing.graph && kept === drawing.positions && drawn === drawing.shapes) return drawing
  return { graph, positions: kept, ...(drawn && { shapes: drawn }) }
}

const keepPositions = (positions: Positions, isKept: (id: string) => boolean): Positions =>
  Object.keys(positions).every(isKept)
    ? positions
    : Object.fromEntries(Object.entries(positions).filter(([id]) => isKept(id)))

export const placeOf = (positions: Positions, id: string): Point | undefined =>
  Object.hasOwn(positions, id) ? positions[id] : undefined

export const samePoint = (one: Point | undefined, other: Point | undefined): boolean =>
  one?.x === other?.x && one?.y === other?.y

/**
 * The inverse of an edit; `drawing` is the state before it. It is the drawing itself: graphs share what did
 * not change, so keeping it is cheap, and nothing (an order, an unknown member, a reference in a text) can be
 * lost.
 */
export function invertEdit(drawing: Drawing, edit: Edit): Edit {
  const after = applyEdit(drawing, edit)
  if (after === drawing) return { type: 'many', edits: [] }
  const isDrawn = after.shapes !== drawing.shapes
  return { type: 'graph.replace', ...drawing, ...(isDrawn && { shapes: drawing.shapes ?? noShapes }) }
}
