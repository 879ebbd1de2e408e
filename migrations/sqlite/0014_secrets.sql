-- Secrets that requests of nodes and tools use by name. The value is sealed.
CREATE TABLE secrets (
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  sealed TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by TEXT NOT NULL,
  UNIQUE (workspace_id, name)
);
-- 0: the graph holds no literal credential, so that every reader gets its text as it is. Older graphs may hold some.
ALTER TABLE workflow_versions ADD COLUMN has_credentials INTEGER NOT NULL DEFAULT 1;
