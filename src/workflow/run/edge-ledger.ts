import type { GraphLinks } from '../graph-links.ts'

/**
 * Keeps count of which edges are settled. A node starts when every edge into it is settled and at least one is live; a
 * node with only skipped edges is skipped, and skipping travels on.
 */
export class EdgeLedger {
  readonly #links: GraphLinks
  /** Edges into each node that are not settled yet, and those that turned out live. */
  readonly #open: Int32Array
  readonly #live: Int32Array

  constructor(links: GraphLinks) {
    this.#links = links
    this.#open = Int32Array.from(links.incoming, incoming => incoming.length)
    this.#live = new Int32Array(links.size)
  }

  /**
   * Settles the edges out of a node: `chosen` is the case it chose; `null` settles all of them as skipped. Every edge
   * is looked at once in the life of a run.
   */
  settle(node: number, chosen: string | undefined | null): { ready: number[]; skipped: number[] } {
    const ready: number[] = []
    const skipped: number[] = []
    this.#settleEdges(node, chosen, ready, skipped)
    for (let next = 0; next < skipped.length; next += 1)
      this.#settleEdges(skipped[next]!, null, ready, skipped)
    return { ready, skipped }
  }

  #settleEdges(node: number, chosen: string | undefined | null, ready: number[], skipped: number[]): void {
    for (const link of this.#links.outgoing[node]!) {
      const isLive = chosen !== null && (link.case === undefined || link.case === chosen)
      if (isLive) this.#live[link.to]! += 1
      this.#open[link.to]! -= 1
      if (this.#open[link.to]! > 0) continue
      if (this.#live[link.to]! > 0) ready.push(link.to)
      else skipped.push(link.to)
    }
  }
}
