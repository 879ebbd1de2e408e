import { applyEdit, placeOf, samePoint } from './apply-edit.ts'
import type { Drawing, Edit } from './edit.ts'
import { EditorHistory } from './editor-history.ts'
import { edgeKey, type Graph } from './graph.ts'
import { membersOf, noShapes, type Shapes, shapeChanges } from './shapes.ts'

export interface Selection {
  /** Node ids. */
  readonly nodes: ReadonlySet<string>
  /** Edge keys. */
  readonly edges: ReadonlySet<string>
  /** Ids of notes and groups. */
  readonly shapes: ReadonlySet<string>
}

export interface EditorState extends Drawing {
  readonly shapes: Shapes
  readonly selection: Selection
  readonly canUndo: boolean
  readonly canRedo: boolean
  /** Increases with every change of the graph, not of positions or selection. */
  readonly revision: number
}

interface EditOptions {
  readonly group?: string
  /** Adds no undo step, for changes by other users and automatic ones. */
  readonly silent?: boolean
}

export interface EditorStore {
  /** The same object until something changes, as useSyncExternalStore requires. */
  state(): EditorState
  subscribe(listener: () => void): () => void
  /**
   * Applies an edit; consecutive edits with the same `group` (such as typing in one field) are one undo step,
   * until there is a pause, a selection or an array changes its length.
   */
  edit(edit: Edit, options?: EditOptions): void
  undo(): void
  redo(): void
  select(nodes: Iterable<string>, edges?: Iterable<string>, shapes?: Iterable<string>): void
  /** Replaces the drawing and clears the history, as when a workflow is opened. */
  load(drawing: Drawing): void
}

const nothing: Selection = { nodes: new Set(), edges: new Set(), shapes: new Set() }

/** The methods do not use `this`, so they can be passed on separately. `now` returns milliseconds. */
export function createEditorStore(drawing: Drawing, now: () => number = Date.now): EditorStore {
  const history = new EditorHistory(now)
  const listeners = new Set<() => void>()
  let state: EditorState = {
    shapes: noShapes,
    ...drawing,
    selection: nothing,
    canUndo: false,
    canRedo: false,
    revision: 0,
  }

  const become = ({ graph, positions, shapes = noShapes }: Drawing, selection: Selection): void => {
    const { canUndo, canRedo } = history
    const revision = state.revision + (graph === state.graph ? 0 : 1)
    state = { graph, positions, shapes, selection, canUndo, canRedo, revision }
    for (const listener of [...listeners]) listener()
  }
  const travel = (next: Drawing): void => become(next, existing(next, state.selection))

  /** Selects what an undo or redo has changed, because it may be out of sight. */
  const showChange = (next: Drawing): void => {
    const changed = changedNodes(drawingOf(state), next)
    // A selected node that has changed is already visible, and its settings stay open.
    const inside = membersOf(state.shapes, state.selection.shapes).nodes
    const seen = new Set([...state.selection.nodes, ...inside])
    const isSeen = changed.some(id => seen.has(id))
    const isPart = changed.length === 1 || changed.length < next.graph.nodes.length
    const isShown = changed.length > 0 && isPart && !isSeen
    const drawn = Object.keys(shapeChanges(state.shapes, next.shapes ?? noShapes))
    const selection = isShown
      ? { ...nothing, nodes: new Set(changed) }
      : changed.length === 0 && drawn.length > 0
        ? { ...nothing, shapes: new Set(drawn) }
        : state.selection
    become(next, existing(next, selection))
  }

  return {
    state: () => state,
    subscribe(listener) {
      // A wrapper object: the same function may subscribe twice and unsubscribe once.
      const own = () => listener()
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    edit(edit, { group, silent = false } = {}) {
      const before = drawingOf(state)
      const after = applyEdit(before, edit)
      if (after === before) return
      if (silent && edit.type === 'node.rename') history.rename(edit.id, edit.to)
      else if (silent) history.endGroup()
      else history.record(before, edit, after, group)
      become(after, existing(after, followed(edit, state, after.graph)))
    },
    undo() {
      if (history.canUndo) showChange(history.undo(drawingOf(state)))
    },
    redo() {
      if (history.canRedo) showChange(history.redo(drawingOf(state)))
    },
    select(nodes, edges = [], shapes = []) {
      history.endGroup()
      const wanted = { nodes: new Set(nodes), edges: new Set(edges), shapes: new Set(shapes) }
      const selection = existing(state, wanted)
      const names = ['nodes', 'edges', 'shapes'] as const
      if (names.every(name => sameSet(selection[name], state.selection[name]))) return
      become(state, selection)
    },
    load(next) {
      history.clear()
      travel(next)
    },
  }
}

const drawingOf = ({ graph, positions, shapes = noShapes }: Drawing): Drawing => ({
  graph,
  positions,
  shapes,
})

/** Ids of the nodes that are new, or that differ in their settings or position. */
function changedNodes(before: Drawing, after: Drawing): string[] {
  const known = new Map(before.graph.nodes.map(node => [node.id, node]))
  return after.graph.nodes
    .filter(node => {
      const { id } = node
      return known.get(id) !== node || !samePoint(placeOf(before.positions, id), placeOf(after.positions, id))
    })
    .map(({ id }) => id)
}

/** A renamed node stays selected. */
function followed(edit: Edit, before: EditorState, after: Graph): Selection {
  if (!['node.rename', 'edge.branch', 'edge.reconnect'].includes(edit.type)) return before.selection
  const { nodes, edges, shapes } = before.selection
  // None of these edits changes the length of a list.
  const selectedNodes = after.nodes.filter((_, place) => nodes.has(before.graph.nodes[place]!.id))
  const selectedEdges = after.edges.filter((_, place) => edges.has(edgeKey(before.graph.edges[place]!)))
  return {
    nodes: new Set(selectedNodes.map(node => node.id)),
    edges: new Set(selectedEdges.map(edgeKey)),
    shapes,
  }
}

/** The part of the selection that still exists; the same object if all of it does. */
function existing({ graph, shapes = noShapes }: Drawing, selection: Selection): Selection {
  const kept: Selection = {
    nodes: keepKnown(selection.nodes, () => graph.nodes.map(node => node.id)),
    edges: keepKnown(selection.edges, () => graph.edges.map(edgeKey)),
    shapes: keepKnown(selection.shapes, () => Object.keys(shapes)),
  }
  const isSame = (['nodes', 'edges', 'shapes'] as const).every(name => kept[name] === selection[name])
  return isSame ? selection : kept
}

function keepKnown(selected: ReadonlySet<string>, listKnown: () => string[]): ReadonlySet<string> {
  if (selected.size === 0) return selected
  const known = new Set(listKnown())
  const kept = new Set([...selected].filter(name => known.has(name)))
  return kept.size === selected.size ? selected : kept
}

const sameSet = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every(name => other.has(name))
