/** Tables whose rows belong to one workspace: deleting a workspace empties them, a backup holds them. */
export const workspaceTables = [
  'tokens',
  'workflows',
  'workflow_versions',
  'files',
  'blobs',
  'idempotency_keys',
] as const

/** Tables that a backup leaves out: what they hold is of no use elsewhere. */
export const transientTables = ['idempotency_keys', 'schema_migrations'] as const

export const archivedTables = [
  'workspaces',
  'tokens',
  'workflows',
  'workflow_versions',
  'files',
  'blobs',
] as const
