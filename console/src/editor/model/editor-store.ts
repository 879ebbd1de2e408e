import type { Drawing, Edit } from './edit.ts'

export interface Selection {
  /** Ids of nodes. */
  readonly nodes: ReadonlySet<string>
  /** Keys of edges. */
  readonly edges: ReadonlySet<string>
}

export interface EditorState extends Drawing {
  readonly selection: Selection
  readonly canUndo: boolean
  readonly canRedo: boolean
  /** Grows with every change of the graph, not of the positions or the selection. */
  readonly revision: number
}

export interface EditorStore {
  /** The same object until something changes, as useSyncExternalStore wants it. */
  state(): EditorState
  subscribe(listener: () => void): () => void
  /** Applies an edit; edits in a row with the same `group` (such as typing in one field) are one step for undo. */
  edit(edit: Edit, options?: { group?: string }): void
  undo(): void
  redo(): void
  select(nodes: Iterable<string>, edges?: Iterable<string>): void
  /** Takes another drawing and forgets the history, as when a workflow is opened. */
  load(drawing: Drawing): void
}
