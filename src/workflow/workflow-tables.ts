import { flag, integer, optional, table, text } from '../database/table.ts'

export const workflows = table('workflows', {
  workspaceId: text(),
  id: text(),
  name: text(),
  search: text(),
  /** The newest one, which is the draft. */
  version: integer(),
  nodeCount: integer(),
  createdAt: integer(),
  updatedAt: integer(),
  /** The version that runs for everyone but its authors; undefined: the newest one. */
  publishedVersion: optional(integer()),
  publishedAt: optional(integer()),
})

/** The current graph is the version that the workflow's row names: a graph is written once. */
export const workflowVersions = table('workflow_versions', {
  workspaceId: text(),
  workflowId: text(),
  version: integer(),
  graph: text(),
  nodeCount: integer(),
  createdAt: integer(),
  /** Whether the graph holds literal credentials, which not every reader may see. */
  hasCredentials: flag(),
  /** The name of the token that stored it; empty if it is not known. */
  author: text(),
  note: text(),
  /** The version whose graph was restored as this one. */
  restoredFrom: optional(integer()),
  /** When it was published last. */
  publishedAt: optional(integer()),
  /** For an autosave, when the first of the autosaves that it replaced was stored. */
  autosaveSince: optional(integer()),
  /** Whether it could run when it was stored. */
  isRunnable: flag(),
})

/** The last version of a deleted workflow: a new workflow under the same id continues counting from it. */
export const deletedWorkflows = table('deleted_workflows', {
  workspaceId: text(),
  id: text(),
  version: integer(),
})

/** Graphs of deleted workflows and deleted versions with which unfinished runs started. */
export const keptVersions = table('kept_versions', {
  workspaceId: text(),
  workflowId: text(),
  version: integer(),
  deletedAt: integer(),
  graph: text(),
})
