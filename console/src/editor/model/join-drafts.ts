import type { Places } from './autosave-ports.ts'
import type { Drawing } from './edit.ts'
import type { Graph, Positions } from './graph.ts'
import { mergeGraphs } from './merge-graphs.ts'
import { placesAfter } from './place-saver.ts'

/** What was edited and is not on the server yet, with the version it began with: enough to merge it in later. */
export interface Draft {
  readonly version: number
  readonly base: Graph
  readonly mine: Graph
  /** What was sent without hearing how it ended. */
  readonly sent: readonly Graph[]
  /** Where nodes were put. */
  readonly places: Places
}

/**
 * Drafts of several tabs as one, oldest first. Those that clash with the ones before them are left out, as nobody is
 * there to decide: their turn comes when the others are saved.
 */
export function joinDrafts<Kept extends Draft>(
  drafts: readonly Kept[],
): { draft: Draft; joined: Kept[] } | undefined {
  const [first, ...others] = drafts
  if (!first) return undefined
  const joined = [first]
  let draft: Draft = first
  for (const other of others) {
    const both = joinTwo(draft, other)
    if (!both) continue
    draft = both
    joined.push(other)
  }
  return { draft, joined }
}

function joinTwo(older: Draft, newer: Draft): Draft | undefined {
  // The older one first goes on to where the newer one began.
  const moved = mergeGraphs(older.base, older.mine, newer.base)
  const merged = mergeGraphs(newer.base, newer.mine, moved.graph)
  if (moved.conflicts.length > 0 || merged.conflicts.length > 0) return undefined
  return {
    version: newer.version,
    base: newer.base,
    mine: merged.graph,
    sent: older.version === newer.version ? [...older.sent, ...newer.sent] : newer.sent,
    places: { ...older.places, ...newer.places },
  }
}

/** What is edited when a draft is taken up again; `placed` is where the server has the nodes. */
export const drawingOf = ({ mine, places }: Draft, placed: Positions): Drawing => ({
  graph: mine,
  positions: placesAfter(placed, places),
})
