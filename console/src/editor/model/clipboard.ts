import { placeOf } from './apply-edit.ts'
import { kindOfNode } from './connect.ts'
import type { Drawing, Edit } from './edit.ts'
import { freshIdAmong } from './fresh-id.ts'
import { edgeKey, type GraphEdge, type GraphNode, type Point } from './graph.ts'
import { type CopiedPart, copiedFormat, type ReadJson, readCopied } from './read-copied.ts'
import { renameRepeatedId } from './rename-node.ts'
import { renameReferences } from './rewrite-references.ts'

/** As many as the server takes in one graph. */
const mostNodes = 2000
const mostEdges = 10_000
/** How far apart nodes are put that came without a place. */
const cascade = 40

/** Nodes with the edges between them, as a text for the clipboard. */
export function copyText({ graph, positions }: Drawing, ids: Iterable<string>): string {
  const copied = new Set(ids)
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
  })
}

/** The edit that adds what was copied, and the ids that the nodes get; undefined when there is nothing to paste. */
export function pasteEdit(
  drawing: Drawing,
  text: string,
  offset: Point,
  readJson: ReadJson = JSON.parse,
): { edit: Edit; ids: readonly string[] } | undefined {
  const copied = readCopied(text, readJson)
  if (!copied) return undefined
  const nodes = withoutSecondEnds(drawing, copied.nodes)
  const renamed = chooseIds(drawing, nodes)
  const edges = joinedEdges(copied.edges, renamed)
  if (nodes.length === 0 || drawing.graph.nodes.length + nodes.length > mostNodes) return undefined
  if (drawing.graph.edges.length + edges.length > mostEdges) return undefined
  const known = new Set([...drawing.graph.nodes, ...copied.nodes].map(node => node.id))
  const adding = nodes.map((node, index): Edit => {
    const id = renamed.get(node.id)!
    const data = renameRepeatedId(renameReferences(node.data, renamed, known), node.id, id)
    return {
      type: 'node.add',
      node: { ...node, id, data },
      position: placeFor(copied, node.id, index, offset),
    }
  })
  const joining = edges.map((edge): Edit => ({ type: 'edge.add', edge }))
  return { edit: { type: 'many', edits: [...adding, ...joining] }, ids: [...renamed.values()] }
}

/** A graph has one input and one end at most, and those that are there stay. */
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
