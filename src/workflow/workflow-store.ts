import type { Page, PageRequest } from '../contract/paging.ts'

export interface WorkflowSummary {
  id: string
  name: string
  version: number
  nodeCount: number
  createdAt: number
  updatedAt: number
}

export interface StoredWorkflow extends WorkflowSummary {
  /** The graph's JSON text in UTF-8, exactly as it was sent. */
  graph: Uint8Array
}

export interface VersionSummary {
  version: number
  nodeCount: number
  createdAt: number
}

export interface StoredVersion extends VersionSummary {
  graph: Uint8Array
}

/** What must hold for a save to happen: nothing, a certain version, any existing one, or none at all. */
export type Expected = 'anything' | 'present' | 'absent' | number

export interface Save {
  id: string
  /** Left out: an existing name stays, a new workflow has an empty one. */
  name: string | undefined
  graph: string
  nodeCount: number
  expected: Expected
  at: number
}

/** A lost compare-and-swap is an answer, not an error: it carries the version that is there now (0: none). */
export type SaveOutcome =
  | { outcome: 'created' | 'updated' | 'unchanged'; version: number }
  | { outcome: 'conflict'; version: number }

export interface WorkflowStore {
  find(workspaceId: string, id: string): Promise<StoredWorkflow | undefined>
  /** The same graph and name as now make no new version. Each other save is one more version, and none is lost. */
  save(workspaceId: string, save: Save): Promise<SaveOutcome>
  list(workspaceId: string, keyword: string, page: PageRequest): Promise<Page<WorkflowSummary>>
  /** False when there was none. */
  remove(workspaceId: string, id: string): Promise<boolean>
  versions(workspaceId: string, id: string, page: PageRequest): Promise<Page<VersionSummary>>
  version(workspaceId: string, id: string, version: number): Promise<StoredVersion | undefined>
}
