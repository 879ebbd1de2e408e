import type { ShapeColor } from '../../../../src/contract/layout-shape.ts'
import { placeOf } from './apply-edit.ts'
import { kindOfNode } from './connect.ts'
import type { Drawing, Edit } from './edit.ts'
import { edgeKey, type GraphEdge, type GraphNode, type Point, type Positions } from './graph.ts'
import { freshIdAmong, freshTitle } from './new-node.ts'
import { renameRepeatedId } from './rename-node.ts'
import { renameReferences } from './rewrite-references.ts'
import { isObject, isRecord, member } from './same-json.ts'
import {
  freshShapeId,
  membersOf,
  minNoteSize,
  noShapes,
  type Shape,
  type Shapes,
  shapeColors,
  shapeLimits,
} from './shapes.ts'

/** The server's limits for one graph. */
const maxNodes = 2000
const maxEdges = 10_000
const maxShapes = shapeLimits.count
/** The offset between pasted nodes without positions. */
const cascade = 40

/** Nodes with the edges between them, notes and groups (with all that is in them), as clipboard text. */
export function copyText(
  { graph, positions, shapes = noShapes }: Drawing,
  ids: Iterable<string>,
  shapeIds: Iterable<string> = [],
): string {
  const chosen = [...shapeIds]
  const inside = membersOf(shapes, chosen)
  const copied = new Set([...ids, ...inside.nodes])
  const drawn = new Set([...chosen, ...inside.notes])
  const nodes = graph.nodes.filter(node => copied.has(node.id))
  const places = nodes.flatMap(({ id }) => {
    const place = placeOf(positions, id)
    return place ? [[id, { x: place.x, y: place.y }] as const] : []
  })
  return JSON.stringify({
    format: copiedFormat,
    nodes,
    edges: graph.edges.filter(({ source, target }) => copied.has(source.cell) && copied.has(target.cell)),
    positions: Object.fromEntries(places),
    shapes: Object.fromEntries(Object.entries(shapes).filter(([id]) => drawn.has(id))),
  })
}

/** The edit that adds the copied nodes, and their new ids; undefined if there is nothing to paste. */
export function pasteEdit(
  drawing: Drawing,
  text: string,
  offset: Point,
  readJson: ReadJson = JSON.parse,
): { edit: Edit; ids: readonly string[]; shapeIds: readonly string[] } | undefined {
  const copied = readCopied(text, readJson)
  if (!copied) return undefined
  const nodes = withoutSecondEnds(drawing, copied.nodes)
  const renamed = chooseIds(drawing, nodes)
  const edges = joinedEdges(copied.edges, renamed)
  const shapes = pastedShapes(drawing, copied, renamed, offset)
  const shapeIds = Object.keys(shapes)
  if (nodes.length + shapeIds.length === 0) return undefined
  if (drawing.graph.nodes.length + nodes.length > maxNodes) return undefined
  if (Object.keys(drawing.shapes ?? noShapes).length + shapeIds.length > maxShapes) return undefined
  if (drawing.graph.edges.length + edges.length > maxEdges) return undefined
  const known = new Set([...drawing.graph.nodes, ...copied.nodes].map(node => node.id))
  const titles = new Set(drawing.graph.nodes.map(node => node.data.title))
  const adding = nodes.map((node, index): Edit => {
    const id = renamed.get(node.id)!
    const data = renameRepeatedId(renameReferences(node.data, renamed, known), node.id, id)
    const title = data.title && freshTitle(titles, data.title)
    titles.add(title)
    return {
      type: 'node.add',
      node: { ...node, id, data: title === data.title ? data : { ...data, title } },
      position: placeFor(copied, node.id, index, offset),
    }
  })
  const joining = edges.map((edge): Edit => ({ type: 'edge.add', edge }))
  const drawn = shapeIds.length > 0 ? [{ type: 'shapes.put' as const, shapes }] : []
  return {
    edit: { type: 'many', edits: [...adding, ...joining, ...drawn] },
    ids: [...renamed.values()],
    shapeIds,
  }
}

/** Copies of notes and groups, with the new ids of what is in them. */
function pastedShapes(
  { graph, shapes = noShapes }: Drawing,
  copied: CopiedPart,
  renamed: ReadonlyMap<string, string>,
  offset: Point,
): Shapes {
  const taken = new Set([...graph.nodes.map(node => node.id), ...Object.keys(shapes)])
  const chosen = new Map<string, string>()
  for (const [id, { type }] of Object.entries(copied.shapes)) {
    const fresh = freshShapeId(type, taken)
    taken.add(fresh)
    chosen.set(id, fresh)
  }
  const known = (ids: readonly string[], names: ReadonlyMap<string, string>): string[] =>
    ids.flatMap(id => names.get(id) ?? [])
  const pasted = Object.entries(copied.shapes).map(([id, shape]): [string, Shape] => [
    chosen.get(id)!,
    shape.type === 'note'
      ? { ...shape, x: shape.x + offset.x, y: shape.y + offset.y }
      : { ...shape, nodes: known(shape.nodes, renamed), notes: known(shape.notes, chosen) },
  ])
  const isUsed = ([, shape]: [string, Shape]): boolean =>
    shape.type === 'note' || shape.nodes.length + shape.notes.length > 0
  return Object.fromEntries(pasted.filter(isUsed))
}

/** A graph has at most one input and one end, and existing ones stay. */
function withoutSecondEnds({ graph }: Drawing, nodes: readonly GraphNode[]): GraphNode[] {
  const single = new Set(graph.nodes.map(kindOfNode).filter(kind => kind === 'input' || kind === 'end'))
  return nodes.filter(node => {
    const kind = kindOfNode(node)
    if (kind !== 'input' && kind !== 'end') return true
    if (single.has(kind)) return false
    single.add(kind)
    return true
  })
}

function chooseIds({ graph }: Drawing, nodes: readonly GraphNode[]): Map<string, string> {
  const taken = new Set(graph.nodes.map(node => node.id))
  const chosen = new Map<string, string>()
  for (const node of nodes) {
    const id = freshIdAmong(taken, kindOfNode(node) ?? '')
    taken.add(id)
    chosen.set(node.id, id)
  }
  return chosen
}

function joinedEdges(edges: readonly GraphEdge[], renamed: ReadonlyMap<string, string>): GraphEdge[] {
  const joined = edges.flatMap((edge): [string, GraphEdge][] => {
    const [from, to] = [renamed.get(edge.source.cell), renamed.get(edge.target.cell)]
    if (from === undefined || to === undefined) return []
    const moved: GraphEdge = {
      ...edge,
      source: { ...edge.source, cell: from, port: `out.${from}` },
      target: { ...edge.target, cell: to, port: `in.${to}` },
    }
    return [[edgeKey(moved), moved]]
  })
  return [...new Map(joined).values()]
}

function placeFor({ positions }: CopiedPart, id: string, index: number, offset: Point): Point {
  const place = placeOf(positions, id) ?? { x: index * cascade, y: index * cascade }
  return { x: place.x + offset.x, y: place.y + offset.y }
}

/** Marks our own texts among everything else in a clipboard. */
const copiedFormat = 'banyan.nodes.1'

/** Half of the server's limits, because pasted nodes are added to a graph. */
const maxCharacters = 4 << 20
const maxCopiedNodes = 1000
const maxCopiedEdges = 5000
/** The server's limit for graphs, minus the levels around a node's data. */
const maxDepth = 60
/** The server accepts no position beyond this. */
const maxCoordinate = 1_000_000

interface CopiedPart {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly positions: Positions
  readonly shapes: Shapes
}

/** `JSON.parse`, or one that keeps every digit of numbers. Throws on invalid JSON. */
type ReadJson = (text: string) => unknown

/**
 * The content of a text copied from an editor; undefined for any other text. It may come from anywhere, so
 * nothing is trusted.
 */
function readCopied(text: string, read: ReadJson): CopiedPart | undefined {
  if (text.length > maxCharacters || !text.includes(copiedFormat)) return undefined
  const value = parse(text, read)
  if (!isRecord(value) || member(value, 'format') !== copiedFormat) return undefined
  const nodes = member(value, 'nodes')
  const edges = member(value, 'edges')
  if (!isListOf(nodes, isNode, maxCopiedNodes) || !isListOf(edges, isEdge, maxCopiedEdges)) return undefined
  if (new Set(nodes.map(node => node.id)).size < nodes.length) return undefined
  if (isDeeper(nodes, maxDepth) || isDeeper(edges, maxDepth)) return undefined
  const positions = member(value, 'positions')
  const places = isRecord(positions) ? Object.entries(positions).filter(([, place]) => isPoint(place)) : []
  const drawn = member(value, 'shapes')
  const shapes = isRecord(drawn) ? Object.entries(drawn).filter(([, shape]) => isShape(shape)) : []
  return {
    nodes,
    edges,
    positions: Object.fromEntries(places) as Positions,
    shapes: Object.fromEntries(shapes.slice(0, maxShapes)) as Shapes,
  }
}

function parse(text: string, read: ReadJson): unknown {
  try {
    return read(text)
  } catch {
    return undefined
  }
}

const isListOf = <Value>(
  value: unknown,
  isElement: (element: unknown) => element is Value,
  most: number,
): value is Value[] => Array.isArray(value) && value.length <= most && value.every(isElement)

function isNode(value: unknown): value is GraphNode {
  if (!isRecord(value)) return false
  const [id, type, data] = [member(value, 'id'), member(value, 'type'), member(value, 'data')]
  if (typeof id !== 'string' || id === '' || typeof type !== 'string' || !isRecord(data)) return false
  return ['type', 'title', 'desc'].every(name => ['string', 'undefined'].includes(typeof member(data, name)))
}

function isEdge(value: unknown): value is GraphEdge {
  if (!isRecord(value) || !isEnd(member(value, 'source')) || !isEnd(member(value, 'target'))) return false
  const data = member(value, 'data')
  if (data === undefined) return true
  return isRecord(data) && ['string', 'undefined'].includes(typeof member(data, 'case'))
}

const isEnd = (value: unknown): boolean => isRecord(value) && typeof member(value, 'cell') === 'string'

const isPoint = (value: unknown): value is Point =>
  isRecord(value) && isCoordinate(member(value, 'x')) && isCoordinate(member(value, 'y'))

function isShape(value: unknown): value is Shape {
  if (!isRecord(value) || !shapeColors.includes(member(value, 'color') as ShapeColor)) return false
  if (member(value, 'type') === 'group')
    return (
      isShortText(member(value, 'title')) &&
      isListOf(member(value, 'nodes'), isText, maxNodes) &&
      isListOf(member(value, 'notes'), isText, maxShapes)
    )
  const sizes = [member(value, 'width'), member(value, 'height')]
  const isSize = (size: unknown): boolean =>
    typeof size === 'number' && size >= minNoteSize && size <= shapeLimits.size
  return (
    member(value, 'type') === 'note' &&
    isPoint(value) &&
    sizes.every(isSize) &&
    isNoteText(member(value, 'text'))
  )
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isShortText = (value: unknown): boolean => isText(value) && value.length <= shapeLimits.titleLength
const isNoteText = (value: unknown): boolean => isText(value) && value.length <= shapeLimits.textLength

const isCoordinate = (value: unknown): boolean =>
  typeof value === 'number' && Math.abs(value) <= maxCoordinate

const isDeeper = (value: unknown, levels: number): boolean =>
  isObject(value) && (levels === 0 || Object.values(value).some(held => isDeeper(held, levels - 1)))
