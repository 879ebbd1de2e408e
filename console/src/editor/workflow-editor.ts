import { createContext, useContext, useSyncExternalStore } from 'react'
import type { CallData } from '../api/operations.ts'
import type { EditorState, EditorStore } from './model/editor-store.ts'

type CheckData = CallData<'POST /api/v1/workflow/check'>
export type KindsData = CallData<'GET /api/v1/workflow/kinds'>
export type KindRecord = KindsData['kinds'][number]

/** One finding of the server, and the node it is about where it is about one. */
export interface CheckFinding {
  /** JSON pointer into the graph, as the server gave it. */
  path: string
  message: string
  /** Name of the rule that it breaks, where the server told one. */
  rule?: string
  severity: 'error' | 'blocking' | 'warning'
  nodeId: string | undefined
  /** The field of the node's data that it is about, where it is about one. */
  field: string | undefined
}

/** What the server thinks of the graph as it is being edited; the latest answer stays until the next one is there. */
export interface Checks {
  runnable: boolean
  findings: readonly CheckFinding[]
  /** Outputs and cases of each node by id, as the server derives them from its settings. */
  outline: NonNullable<CheckData['outline']>
  /** Whether an answer for the newest edit is still to come. */
  isPending: boolean
}

/** How a node stands in the run that is being watched. */
export interface NodeMark {
  status: 'running' | 'waiting' | 'succeeded' | 'skipped' | 'failed' | 'stopped'
  elapsedMs?: number
  tokens?: number
  error?: string
}

export type SaveStatus = 'saved' | 'changed' | 'saving' | 'conflict' | 'failed'

export interface Saving {
  status: SaveStatus
  /** Version that the server has of what was loaded or saved last. */
  version: number
  /** Why the last try failed. */
  error: unknown
  /** Gives the version once the server has everything; rejects when it cannot be saved. A run begins with it. */
  flush(): Promise<number>
  /** Goes on from a version that was made elsewhere, as by rolling back; the store has its graph already. */
  settle(version: number): void
  /** Merges in what the server has now; rejects when that takes a decision, or cannot be read. */
  refresh(): Promise<void>
  /** What is edited was stored elsewhere: nothing of it is left to save. */
  abandon(): void
}

/** All that the parts of the editor share. */
export interface WorkflowEditor {
  workflowId: string
  name: string
  store: EditorStore
  kinds: KindsData
  mayWrite: boolean
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
