/**
 * Tables whose rows belong to one workspace: deleting a workspace empties them, a backup contains them. The order
 * matters: sources go first, so that nothing refills a table that was emptied.
 */
export const workspaceTables = [
  'tokens',
  'workflows',
  'workflow_versions',
  'workflow_layouts',
  'deleted_workflows',
  'kept_versions',
  'runs',
  'run_steps',
  'run_effects',
  'run_events',
  'run_contents',
  'usage_days',
  'agents',
  'conversations',
  'turns',
  'messages',
  'replaced_messages',
  'message_files',
  'conversation_memory',
  'earlier_memory',
  'feedback',
  'annotations',
  'web_pages',
  'knowledge_bases',
  'generations',
  'readings',
  'documents',
  'document_values',
  'manual_passages',
  'batches',
  'chunks',
  'segments',
  'segment_blocks',
  'vectors',
  'embeddings',
  'recognised_texts',
  'golden_questions',
  'golden_runs',
  'files',
  'blobs',
  'models',
  'secrets',
  'shared_tools',
  'triggers',
  'test_sets',
  'test_cases',
  'test_runs',
  'test_results',
  'idempotency_keys',
  'audit_queue',
  'audit_entries',
  // Triggers of other tables write these.
  'workspace_usage',
  'generation_counts',
  'usage_rollups',
] as const

/** Tables that triggers of other tables keep up to date. */
export const derivedTables = [
  'workspace_usage',
  'generation_counts',
  'usage_rollups',
  'search_index',
] as const

/** Tables that a backup leaves out: their rows are of no use elsewhere, or follow from others. */
export const transientTables = [
  'idempotency_keys',
  'installation',
  'schema_migrations',
  ...derivedTables,
] as const

/** Tables of PostgreSQL alone, for the processes that are alive. */
export const clusterTables = ['access_changes', 'cluster_leases', 'cluster_members'] as const

export const archivedTables: readonly string[] = [
  'workspaces',
  ...workspaceTables.filter(table => !transientTables.some(transient => transient === table)),
]
