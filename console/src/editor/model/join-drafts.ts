import type { Places } from './autosave-ports.ts'
import type { Drawing } from './edit.ts'
import type { Graph, Positions } from './graph.ts'
import { mergeGraphs } from './merge-graphs.ts'
import { placesAfter } from './place-saver.ts'
import { applyShapes, noShapes, type ShapeChanges, type Shapes } from './shapes.ts'

/** Unsaved edits with the version they are based on: enough to merge them later. */
export interface Draft {
  readonly version: number
  readonly base: Graph
  readonly mine: Graph
  /** Saves whose result is unknown. */
  readonly sent: readonly Graph[]
  /** Positions of nodes. */
  readonly places: Places
  /** Notes and groups. */
  readonly shapes?: ShapeChanges
}

/**
 * Joins the drafts of several tabs, oldest first. Drafts that conflict with earlier ones are left out,
 * because there is no user to decide: they are merged after the others are saved.
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
  // The older draft is first moved to the base of the newer one.
  const moved = mergeGraphs(older.base, older.mine, newer.base)
  const merged = mergeGraphs(newer.base, newer.mine, moved.graph)
  if (moved.conflicts.length > 0 || merged.conflicts.length > 0) return undefined
  return {
    version: newer.version,
    base: newer.base,
    mine: merged.graph,
    sent: older.version === newer.version ? [...older.sent, ...newer.sent] : newer.sent,
    places: { ...older.places, ...newer.places },
    shapes: { ...older.shapes, ...newer.shapes },
  }
}

/** The state to edit when a draft is restored; `placed` and `drawn` are what the server has. */
export const drawingOf = (
  { mine, places, shapes = {} }: Draft,
  placed: Positions,
  drawn: Shapes = noShapes,
): Drawing => ({
  graph: mine,
  positions: placesAfter(placed, places),
  shapes: applyShapes(drawn, shapes),
})
