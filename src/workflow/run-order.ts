import type { GraphLinks } from './graph-links.ts'

/**
 * What is known before any run about the order of nodes. Nodes are given by their place in the list.
 */
export interface RunOrder {
  /** A path leads from `other` to `node`: if both run, `other` is finished when `node` starts. */
  isBefore(other: number, node: number): boolean
  /** In every run in which `node` runs, `other` has run before it. */
  surelyRanBefore(other: number, node: number): boolean
}

export interface RunOrderQuestion {
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

/**
 * The rules behind it: a node runs when every link into it is settled and at least one is live; a link
 * without a case is live when its source ran, a link with a case when its source also chose that case.
 */
export function findRunOrder(question: RunOrderQuestion): RunOrder {
  const ancestors = findAncestors(question)
  const sure = findSure(question, findImplied(question))
  return {
    isBefore: (other, node) => ancestors[node]!.has(other),
    surelyRanBefore: (other, node) => ancestors[node]!.has(other) && sure[node]!.has(other),
  }
}

function findAncestors({ links, order }: RunOrderQuestion): readonly BitSet[] {
  const ancestors = BitSet.emptyForEach(links.size)
  for (const node of order) {
    for (const { from } of links.incoming[node]!) ancestors[node]!.addAll(ancestors[from]!).add(from)
  }
  return ancestors
}

/** What certainly runs after a node, looking ahead from that node only. */
interface Implied {
  readonly byNode: readonly BitSet[]
  /** The same for a node together with the case it chose, without the node itself. */
  readonly byCase: readonly ReadonlyMap<string, BitSet>[]
}

function findImplied({ links, order, casesOf }: RunOrderQuestion): Implied {
  const byNode = BitSet.emptyForEach(links.size)
  const byCase: Map<string, BitSet>[] = Array.from({ length: links.size }, () => new Map())
  for (const node of order.toReversed()) {
    const implied = byNode[node]!.add(node)
    const cases = byCase[node]!
    for (const link of links.outgoing[node]!) {
      if (link.case === undefined) {
        implied.addAll(byNode[link.to]!)
        continue
      }
      // Most cases have one link and share the set of its target, so a set is copied before it grows.
      const ofCase = cases.get(link.case)
      cases.set(link.case, ofCase ? ofCase.copy().addAll(byNode[link.to]!) : byNode[link.to]!)
    }
    const inEveryCase = cases.size === 0 ? undefined : intersection(casesOf(node), cases)
    if (inEveryCase) implied.addAll(inEveryCase)
  }
  return { byNode, byCase }
}

/** What all cases have in common; nothing when a case leads nowhere, because it may be chosen. */
function intersection(
  names: readonly string[] | undefined,
  cases: ReadonlyMap<string, BitSet>,
): BitSet | undefined {
  let common: BitSet | undefined
  // A set, because a client may repeat a case.
  for (const name of new Set(names)) {
    const ofCase = cases.get(name)
    if (ofCase === undefined) return undefined
    common = common ? common.keepOnly(ofCase) : ofCase.copy()
  }
  return common
}

/**
 * What certainly runs in a run in which a node runs. The run reached the node over at least one live link, and which
 * one is unknown, so only what all of them have in common counts.
 */
function findSure(question: RunOrderQuestion, implied: Implied): readonly BitSet[] {
  const { links, order, starts, reachable } = question
  const always = BitSet.empty(links.size)
  for (const start of starts) always.addAll(implied.byNode[start]!)
  const sure = BitSet.emptyForEach(links.size)
  const through = BitSet.empty(links.size)
  for (const node of order) {
    let isFirst = true
    for (const link of links.incoming[node]!) {
      // A link from a node that never runs is never live.
      if (reachable[node] && !reachable[link.from]) continue
      through.become(sure[link.from]!)
      const ofCase = link.case === undefined ? undefined : implied.byCase[link.from]!.get(link.case)
      if (ofCase) through.addAll(ofCase)
      if (isFirst) sure[node]!.become(through)
      else sure[node]!.keepOnly(through)
      isFirst = false
    }
    sure[node]!.addAll(implied.byNode[node]!).addAll(always)
  }
  return sure
}

/** A set of small integers, one bit each: sets are combined 32 members at a time. */
export class BitSet {
  readonly #words: Uint32Array

  private constructor(words: Uint32Array) {
    this.#words = words
  }

  /** An empty set of numbers below `size`. Only sets of one size may be combined. */
  static empty(size: number): BitSet {
    return new BitSet(new Uint32Array((size + 31) >>> 5))
  }

  /**
   * One empty set of numbers below `size` for each of them, in a single allocation: thousands of small ones cost more.
   */
  static emptyForEach(size: number): readonly BitSet[] {
    const length = (size + 31) >>> 5
    const words = new Uint32Array(length * size)
    return Array.from(
      { length: size },
      (_, row) => new BitSet(words.subarray(row * length, (row + 1) * length)),
    )
  }

  copy(): BitSet {
    return new BitSet(this.#words.slice())
  }

  has(member: number): boolean {
    return (this.#words[member >>> 5]! & (1 << (member & 31))) !== 0
  }

  add(member: number): this {
    this.#words[member >>> 5]! |= 1 << (member & 31)
    return this
  }

  addAll(other: BitSet): this {
    const into = this.#words
    const from = other.#words
    for (let word = 0; word < from.length; word += 1) into[word]! |= from[word]!
    return this
  }

  /** Removes what is not in `other` too. */
  keepOnly(other: BitSet): this {
    const into = this.#words
    const from = other.#words
    for (let word = 0; word < from.length; word += 1) into[word]! &= from[word]!
    return this
  }

  /** Takes exactly the members of `other`. */
  become(other: BitSet): this {
    this.#words.set(other.#words)
    return this
  }
}
