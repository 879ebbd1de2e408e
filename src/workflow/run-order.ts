import type { GraphLinks } from './graph-links.ts'

/** What is known before any run about the order of nodes, which are given by their place in the list. */
export interface RunOrder {
  /** A path leads from `other` to `node`: if both run, `other` is finished when `node` starts. */
  isBefore(other: number, node: number): boolean
  /** In every run in which `node` runs, `other` has run before it. */
  surelyRanBefore(other: number, node: number): boolean
}

interface RunOrderQuestion {
  readonly links: GraphLinks
  /** All nodes, each after those that lead to it. */
  readonly order: readonly number[]
  /** Nodes that start every run. */
  readonly starts: readonly number[]
  /** Whether any path from a start leads to a node. */
  readonly reachable: readonly boolean[]
  /** For a node that always chooses one of a known list of cases: that list. */
  casesOf(node: number): readonly string[] | undefined
}

/** A set of nodes, one bit each: union is `|` and intersection is `&`, 64 members at a time. */
type NodeSet = bigint

const only = (node: number): NodeSet => 1n << BigInt(node)
const emptySets = ({ size }: GraphLinks): NodeSet[] => new Array<NodeSet>(size).fill(0n)

/**
 * Follows the rules of the engine: a node runs when every link into it is settled and at least one is live; a link
 * without a case is live when its source ran, a link with a case when its source also chose that case.
 */
export function findRunOrder(question: RunOrderQuestion): RunOrder {
  const ancestors = findAncestors(question)
  const sure = findSure(question, findImplied(question))
  return {
    isBefore: (other, node) => (ancestors[node]! & only(other)) !== 0n,
    surelyRanBefore: (other, node) => (ancestors[node]! & sure[node]! & only(other)) !== 0n,
  }
}

function findAncestors({ links, order }: RunOrderQuestion): readonly NodeSet[] {
  const ancestors = emptySets(links)
  for (const node of order)
    for (const { from } of links.incoming[node]!) ancestors[node]! |= ancestors[from]! | only(from)
  return ancestors
}

/** The nodes that certainly run if a node runs, as far as its outgoing links show. */
interface Implied {
  readonly byNode: readonly NodeSet[]
  /** The nodes that certainly run if a node chooses a case, without the node itself; only for nodes with cases. */
  readonly byCase: readonly ReadonlyMap<string, NodeSet>[]
}

function findImplied({ links, order, casesOf }: RunOrderQuestion): Implied {
  const byNode = emptySets(links)
  const byCase: Map<string, NodeSet>[] = []
  for (const node of order.toReversed()) {
    let implied = only(node)
    for (const link of links.outgoing[node]!) {
      if (link.case === undefined) {
        // After a failure only the error branch is followed.
        if (!link.unlessFailed) implied |= byNode[link.to]!
      } else {
        byCase[node] ??= new Map()
        byCase[node].set(link.case, (byCase[node].get(link.case) ?? 0n) | byNode[link.to]!)
      }
    }
    if (byCase[node]) implied |= inEveryCase(casesOf(node) ?? [], byCase[node])
    byNode[node] = implied
  }
  return { byNode, byCase }
}

/** The nodes that follow in every case: none if one of the cases leads nowhere, because the run may choose it. */
function inEveryCase(names: readonly string[], cases: ReadonlyMap<string, NodeSet>): NodeSet {
  const sets = names.map(name => cases.get(name) ?? 0n)
  return sets.length === 0 ? 0n : sets.reduce((common, each) => common & each)
}

/**
 * The nodes that certainly run in every run in which a node runs. The run reached the node over at least one live link.
 * It is unknown which one, so only the nodes that all of these links have in common count.
 */
function findSure(question: RunOrderQuestion, { byNode, byCase }: Implied): readonly NodeSet[] {
  const { links, order, starts, reachable } = question
  const always = starts.reduce((all, start) => all | byNode[start]!, 0n)
  const sure = emptySets(links)
  for (const node of order) {
    let common: NodeSet | undefined
    for (const link of links.incoming[node]!) {
      // A link from a node that never runs is never live.
      if (reachable[node] && !reachable[link.from]) continue
      const ofCase = link.case === undefined ? 0n : byCase[link.from]!.get(link.case)!
      const through = sure[link.from]! | ofCase
      common = common === undefined ? through : common & through
    }
    sure[node] = (common ?? 0n) | byNode[node]! | always
  }
  return sure
}
