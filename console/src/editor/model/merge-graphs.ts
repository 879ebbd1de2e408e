import { edgeKey, type Graph, type GraphEdge, type GraphNode } from './graph.ts'
import { isRecord, member, memberNames, sameJson } from './same-json.ts'

interface Conflict<Value> extends Sides<Value> {
  /** What a choice refers to: a node id, an edge key, or `graph.` with a member's name. */
  readonly id: string
  /**
   * Fields that both sides changed, such as `data.title`; empty if one side removed what the other changed or
   * connected.
   */
  readonly fields: readonly string[]
}
export type MergeConflict =
  | (Conflict<GraphNode> & { readonly of: 'node' })
  | (Conflict<GraphEdge> & { readonly of: 'edge' })
  | (Conflict<unknown> & { readonly of: 'member' })

/** By conflict `id`; the default is mine. */
export type MergeChoices = Readonly<Record<string, MergeChoice>>

interface MergedGraph {
  /** The merged graph, with mine for every conflict. */
  readonly graph: Graph
  readonly conflicts: readonly MergeConflict[]
}

/**
 * Three-way merge of two graphs with a common `base`. Changes of one side are taken, identical changes once;
 * a conflict is a different change of the same node, edge or other member.
 */
export const mergeGraphs = (base: Graph, mine: Graph, theirs: Graph): MergedGraph =>
  merge({ base, mine, theirs }, {})

/** The merge with all conflicts resolved. Fields that do not conflict come from both sides. */
export const resolveMerge = (base: Graph, mine: Graph, theirs: Graph, choices: MergeChoices): Graph =>
  merge({ base, mine, theirs }, choices).graph

type Graphs = { readonly [Side in keyof Sides<Graph>]: Graph }

function merge(graphs: Graphs, choices: MergeChoices): MergedGraph {
  const { base, mine, theirs } = graphs
  if (sameJson(theirs, base) || sameJson(mine, theirs)) return { graph: mine, conflicts: [] }
  if (sameJson(mine, base)) return { graph: theirs, conflicts: [] }
  const conflicts: MergeConflict[] = []
  const choiceOf = (id: string): MergeChoice => (Object.hasOwn(choices, id) ? choices[id]! : 'mine')
  const members = mergeMembers(graphs, choiceOf, conflicts)
  const nodes = mergeNodes(graphs, choiceOf, conflicts)
  const edges = mergeEdges(graphs, new Set(nodes.map(node => node.id)), choiceOf, conflicts)
  return { graph: { ...members, nodes, edges }, conflicts }
}

type ChoiceOf = (id: string) => MergeChoice

function mergeMembers(graphs: Graphs, choiceOf: ChoiceOf, conflicts: MergeConflict[]): object {
  const rest = ({ nodes: _, edges: __, ...more }: Graph) => more
  const sides = { base: rest(graphs.base), mine: rest(graphs.mine), theirs: rest(graphs.theirs) }
  const { value, clashes } = mergeFields(sides, 'mine')
  if (clashes.length === 0) return value
  const theirsToo = mergeFields(sides, 'theirs').value
  const chosen = clashes.map((name): [string, unknown] => {
    const id = `graph.${name}`
    const [base, mine, theirs] = [sides.base, sides.mine, sides.theirs].map(side => member(side, name))
    conflicts.push({ of: 'member', id, fields: [], base, mine, theirs })
    return [name, member(choiceOf(id) === 'mine' ? value : theirsToo, name)]
  })
  const members = Object.entries({ ...value, ...Object.fromEntries(chosen) })
  return Object.fromEntries(members.filter(([, held]) => held !== undefined))
}

function mergeNodes(graphs: Graphs, choiceOf: ChoiceOf, conflicts: MergeConflict[]): GraphNode[] {
  const byId = (graph: Graph) => new Map(graph.nodes.map(node => [node.id, node]))
  const [base, mine, theirs] = [byId(graphs.base), byId(graphs.mine), byId(graphs.theirs)]
  const joined = {
    mine: newlyJoined(graphs.base, graphs.mine),
    theirs: newlyJoined(graphs.base, graphs.theirs),
  }
  const merged = new Map<string, GraphNode>()
  for (const id of new Set([...mine.keys(), ...theirs.keys()])) {
    const sides = { base: base.get(id), mine: mine.get(id), theirs: theirs.get(id) }
    // One side removed a node that the other connected: keeping the edge keeps the node.
    const isTorn = sides.mine ? !sides.theirs && joined.mine.has(id) : joined.theirs.has(id)
    const { value, clash } =
      sides.base && isTorn
        ? { value: sides[choiceOf(id)], clash: [] }
        : mergeItem<GraphNode>(sides, choiceOf(id))
    if (clash) conflicts.push({ of: 'node', id, fields: clash, ...sides })
    if (value) merged.set(id, value)
  }
  const order = mergeOrder([...base.keys()], [...mine.keys()], [...theirs.keys()], new Set(merged.keys()))
  return order.map(id => merged.get(id)!)
}

/** Nodes at the ends of edges that this side added or changed. */
function newlyJoined(base: Graph, side: Graph): Set<string> {
  const before = edgesByKey(base)
  const changed = side.edges.filter(edge => !sameJson(before.get(edgeKey(edge)), edge))
  return new Set(changed.flatMap(({ source, target }) => [source.cell, target.cell]))
}

function mergeEdges(
  graphs: Graphs,
  ids: ReadonlySet<string>,
  choiceOf: ChoiceOf,
  conflicts: MergeConflict[],
): GraphEdge[] {
  const base = edgesByKey(graphs.base)
  const mine = withRestored(base, graphs.mine, ids)
  const theirs = withRestored(base, graphs.theirs, ids)
  const merged = new Map<string, GraphEdge>()
  for (const key of new Set([...mine.keys(), ...theirs.keys()])) {
    const [mineNow, theirsNow] = [mine.get(key), theirs.get(key)]
    const { source, target } = (mineNow ?? theirsNow)!
    if (!ids.has(source.cell) || !ids.has(target.cell)) continue
    // An edge is identified by its ends and branch: two identical additions are one.
    const began = base.get(key) ?? (mineNow && theirsNow ? { source, target } : undefined)
    const sides = { base: began, mine: mineNow, theirs: theirsNow }
    const { value, clash } = mergeItem<GraphEdge>(sides, choiceOf(key))
    if (clash) conflicts.push({ of: 'edge', id: key, fields: clash, ...sides })
    if (value) merged.set(key, value)
  }
  const order = mergeOrder([...base.keys()], [...mine.keys()], [...theirs.keys()], new Set(merged.keys()))
  return order.map(key => merged.get(key)!)
}

const edgesByKey = (graph: Graph) => new Map(graph.edges.map(edge => [edgeKey(edge), edge]))

/** The edges of one side. Edges that were removed only together with their node come back if the node is kept. */
function withRestored(base: ReadonlyMap<string, GraphEdge>, side: Graph, kept: ReadonlySet<string>) {
  const edges = edgesByKey(side)
  const ids = new Set(side.nodes.map(node => node.id))
  const isRestored = (id: string): boolean => kept.has(id) && !ids.has(id)
  for (const [key, edge] of base) {
    if (edges.has(key)) continue
    if (isRestored(edge.source.cell) || isRestored(edge.target.cell)) edges.set(key, edge)
  }
  return edges
}

export type MergeChoice = 'mine' | 'theirs'

/** An item in the base and on both sides; undefined where it is absent. */
interface Sides<Value> {
  readonly base: Value | undefined
  readonly mine: Value | undefined
  readonly theirs: Value | undefined
}

interface MergedItem<Value> {
  readonly value: Value | undefined
  /** Fields that both sides changed differently; undefined if there are none, empty if the whole item differs. */
  readonly clash: readonly string[] | undefined
}

/** Changes of one side are taken; if both changed it differently, `choice` decides. */
function mergeItem<Value>(sides: Sides<Value>, choice: MergeChoice): MergedItem<Value> {
  const { base, mine, theirs } = sides
  if (sameJson(mine, theirs) || sameJson(theirs, base)) return { value: mine, clash: undefined }
  if (sameJson(mine, base)) return { value: theirs, clash: undefined }
  // Without a common base these are two different items that share a name, so they are not mixed.
  if (!isRecord(base) || !isRecord(mine) || !isRecord(theirs)) return { value: sides[choice], clash: [] }
  const { value, clashes } = mergeFields({ base, mine, theirs }, choice, ['data'])
  return { value: value as Value, clash: clashes.length > 0 ? clashes : undefined }
}

type Fields = Readonly<Record<string, unknown>>

/** Merges records field by field, and the fields in `deep` recursively. */
function mergeFields(
  { base, mine, theirs }: Sides<Fields>,
  choice: MergeChoice,
  deep: readonly string[] = [],
): { value: Fields; clashes: string[] } {
  const clashes: string[] = []
  const fields = memberNames(mine, theirs).map((name): [string, unknown] => {
    const sides = { base: member(base, name), mine: member(mine, name), theirs: member(theirs, name) }
    if (deep.includes(name) && isRecord(sides.base) && isRecord(sides.mine) && isRecord(sides.theirs)) {
      const inner = mergeFields(sides as Sides<Fields>, choice)
      clashes.push(...inner.clashes.map(clash => `${name}.${clash}`))
      return [name, inner.value]
    }
    const { value, isClash } = mergeValue(sides, choice)
    if (isClash) clashes.push(name)
    return [name, value]
  })
  return { value: Object.fromEntries(fields.filter(([, value]) => value !== undefined)), clashes }
}

function mergeValue(sides: Sides<unknown>, choice: MergeChoice): { value: unknown; isClash: boolean } {
  const { base, mine, theirs } = sides
  if (sameJson(mine, theirs) || sameJson(theirs, base)) return { value: mine, isClash: false }
  if (sameJson(mine, base)) return { value: theirs, isClash: false }
  return { value: sides[choice], isClash: true }
}

/**
 * Merges the order of two lists with a common base. The side that reordered wins; items of the other side
 * follow the same neighbour as there.
 */
function mergeOrder(
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
  kept: ReadonlySet<string>,
): string[] {
  const [leading, other] =
    isReordered(base, theirs) && !isReordered(base, mine) ? [theirs, mine] : [mine, theirs]
  const places = new Set(leading)
  const behind = new Map<string | undefined, string[]>()
  let neighbour: string | undefined
  for (const key of other) {
    if (places.has(key)) neighbour = key
    else if (behind.has(neighbour)) behind.get(neighbour)!.push(key)
    else behind.set(neighbour, [key])
  }
  const all = [...(behind.get(undefined) ?? []), ...leading.flatMap(key => [key, ...(behind.get(key) ?? [])])]
  return all.filter(key => kept.has(key))
}

function isReordered(base: readonly string[], side: readonly string[]): boolean {
  const inBase = new Set(base)
  const inSide = new Set(side)
  const common = base.filter(key => inSide.has(key))
  return side.filter(key => inBase.has(key)).some((key, index) => key !== common[index])
}
