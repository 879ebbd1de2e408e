import { applyEdit } from './apply-edit.ts'
import type { Drawing, Edit } from './edit.ts'

/**
 * The edit that takes another one back; `drawing` is how it was before. It is the drawing itself: a graph shares with
 * its successors whatever did not change, so that keeping it costs little, and nothing (an order, an unknown member, a
 * reference in a text) can be forgotten on the way back.
 */
export const invertEdit = (drawing: Drawing, edit: Edit): Edit =>
  applyEdit(drawing, edit) === drawing
    ? { type: 'many', edits: [] }
    : { type: 'graph.replace', graph: drawing.graph, positions: drawing.positions }
