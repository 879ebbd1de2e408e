import { edgeKey, type Graph, type GraphEdge, type GraphNode } from './graph.ts'
import { freshIdAmong } from './new-node.ts'
import { renameInEdge, renameNode, renameRepeatedId } from './rename-node.ts'
import { sameJson } from './same-json.ts'

interface AlignedGraphs {
  readonly base: Graph
  readonly mine: Graph
  readonly theirs: Graph
  /** My nodes that get a new id, as [old, new] in the order of renaming. */
  readonly renamed: readonly (readonly [id: string, to: string])[]
}

/** With more candidates than this, it is no simple rename. */
const maxPairs = 10_000

/**
 * Gives the same id to the same node on both sides, and different ids to different nodes that happen to share
 * one, so that the graphs can be merged by id.
 */
export function alignGraphs(base: Graph, mine: Graph, theirs: Graph): AlignedGraphs {
  if (sameJson(base, mine) || sameJson(base, theirs) || sameJson(mine, theirs))
    return { base, mine, theirs, renamed: [] }
  return keepBothAdded(followRenames(base, mine, theirs))
}

const idsOf = (graph: Graph): Set<string> => new Set(graph.nodes.map(({ id }) => id))
const rename = (graph: Graph, id: string, to: string): Graph =>
  renameNode({ graph, positions: {} }, id, to).graph

/** A node that one side renamed gets the new id on the other side too, with that side's changes. */
export function followRenames(began: Graph, myGraph: Graph, theirGraph: Graph): AlignedGraphs {
  let [base, mine, theirs] = [began, myGraph, theirGraph]
  const [byMe, byThem] = [findRenames(base, mine), findRenames(base, theirs)]
  const [myIds, theirIds] = [idsOf(mine), idsOf(theirs)]
  const renamed: [string, string][] = []
  for (const [id, to] of byMe) {
    const isAlike = byThem.get(id) === to
    if (!isAlike && (!theirIds.has(id) || theirIds.has(to))) continue
    base = rename(base, id, to)
    if (!isAlike) theirs = rename(theirs, id, to)
  }
  for (const [id, to] of byThem) {
    if (!myIds.has(id) || myIds.has(to)) continue
    base = rename(base, id, to)
    mine = rename(mine, id, to)
    renamed.push([id, to])
  }
  return { base, mine, theirs, renamed }
}

/** New ids are numbered, so two users who add a node of one kind get the same id: mine gets another one. */
function keepBothAdded({ base, mine, theirs, renamed }: AlignedGraphs): AlignedGraphs {
  const [began, others] = [idsOf(base), idsOf(theirs)]
  const taken = new Set([...began, ...others, ...idsOf(mine)])
  const both = mine.nodes.filter(({ id, data }) => {
    // There is at most one input and one end.
    return !began.has(id) && others.has(id) && data.type !== 'input' && data.type !== 'end'
  })
  const further = both.map(({ id, data }) => {
    const to = freshIdAmong(taken, data.type ?? '')
    taken.add(to)
    return [id, to] as const
  })
  return {
    base,
    mine: further.reduce((graph, [id, to]) => rename(graph, id, to), mine),
    theirs,
    renamed: [...renamed, ...further],
  }
}

/** Removed ids by the new ids that replace them, if no other new node is a candidate. */
function findRenames(base: Graph, side: Graph): Map<string, string> {
  const [before, now] = [idsOf(base), idsOf(side)]
  const gone = base.nodes.filter(({ id }) => !now.has(id))
  const fresh = side.nodes.filter(({ id }) => !before.has(id))
  if (gone.length * fresh.length > maxPairs) return new Map()
  const edges = new Set(side.edges.map(edgeKey))
  const pairs = gone.flatMap(old =>
    fresh
      .filter(node => isRenamed(old, node, base.edges, edges))
      .map(({ id }): [string, string] => [old.id, id]),
  )
  const count = (place: 0 | 1, id: string): number => pairs.filter(pair => pair[place] === id).length
  return new Map(pairs.filter(([id, to]) => count(0, id) === 1 && count(1, to) === 1))
}

/** Whether the new node has the same settings as the old one, or all of its edges. */
function isRenamed(
  old: GraphNode,
  node: GraphNode,
  before: readonly GraphEdge[],
  now: ReadonlySet<string>,
): boolean {
  if (old.data.type !== node.data.type) return false
  if (sameJson(renameRepeatedId(old.data, old.id, node.id), node.data)) return true
  const edges = before.filter(({ source, target }) => source.cell === old.id || target.cell === old.id)
  return edges.length > 0 && edges.every(edge => now.has(edgeKey(renameInEdge(edge, old.id, node.id))))
}
