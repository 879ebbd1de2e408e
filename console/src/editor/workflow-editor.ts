import { createContext, useContext, useSyncExternalStore } from 'react'
import type { CallData } from '../api/operations.ts'
import type { EditorState, EditorStore } from './model/editor-store.ts'

type CheckData = CallData<'POST /api/v1/workflow/check'>
export type KindsData = CallData<'GET /api/v1/workflow/kinds'>
export type KindRecord = KindsData['kinds'][number]

/** One finding of the server, with its node if it has one. */
export interface CheckFinding {
  /** JSON pointer into the graph, from the server. */
  path: string
  message: string
  /** The violated rule, if the server reports one. */
  rule?: string
  severity: 'error' | 'blocking' | 'warning'
  /** For an edge, its source. */
  nodeId: string | undefined
  /** The key of the edge, if it is about one. */
  edge?: string
  /** The field of the node's data, if it is about one. */
  field: string | undefined
}

/** The server's check of the edited graph; the last result stays until the next one. */
export interface Checks {
  runnable: boolean
  findings: readonly CheckFinding[]
  /** Outputs and branches of each node by id, as the server derives them from its settings. */
  outline: NonNullable<CheckData['outline']>
  /** Whether the result for the latest edit is still pending. */
  isPending: boolean
}

/** The status of a node in the watched run. */
export interface NodeMark {
  status: 'running' | 'waiting' | 'succeeded' | 'skipped' | 'failed' | 'stopped'
  elapsedMs?: number
  tokens?: number
  error?: string
}

export type SaveStatus = 'saved' | 'changed' | 'saving' | 'conflict' | 'failed'

export interface Saving {
  status: SaveStatus
  /** The server's version of what was loaded or saved last. */
  version: number
  /** Why the last attempt failed. */
  error: unknown
  /** Resolves with the version once the server has everything, for example to start a run; rejects if it cannot be saved. */
  flush(): Promise<number>
  /** Continues from a version created elsewhere, such as by a roll back; its graph is already in the store. */
  settle(version: number): void
  /** Merges the server's state; rejects if the user has to decide, or it cannot be loaded. */
  refresh(): Promise<void>
  /** The edited graph was stored elsewhere: nothing is left to save. */
  abandon(): void
}

/** The published version and when it was published; null if none is published. */
export interface Publication {
  version: number | null
  at: string | null
}

/** A copy of the server's `noteLength`. */
export const maxNoteLength = 500

/** The state that the parts of the editor share. */
export interface WorkflowEditor {
  workflowId: string
  name: string
  store: EditorStore
  kinds: KindsData
  mayWrite: boolean
  /** The publication when the editor was opened; see `usePublication`. */
  published: Publication
  checks: Checks
  saving: Saving
  marks: ReadonlyMap<string, NodeMark>
  setMarks(marks: ReadonlyMap<string, NodeMark>): void
  /** Brings a node into view and selects it. */
  showNode(id: string): void
}

export const WorkflowEditorContext = createContext<WorkflowEditor | undefined>(undefined)

export function useWorkflowEditor(): WorkflowEditor {
  const editor = useContext(WorkflowEditorContext)
  if (!editor) throw new Error('This part belongs inside the workflow editor')
  return editor
}

export function useEditorState(): EditorState {
  const { store } = useWorkflowEditor()
  return useSyncExternalStore(store.subscribe, store.state)
}
