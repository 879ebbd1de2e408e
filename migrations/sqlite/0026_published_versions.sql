-- The version that runs for everyone but its authors; NULL: the newest one.
ALTER TABLE workflows ADD COLUMN published_version INTEGER;
ALTER TABLE workflows ADD COLUMN published_at INTEGER;

-- Who stored a version, and why it is kept. `autosave_since` is when the autosaves that it replaced began.
ALTER TABLE workflow_versions ADD COLUMN author TEXT NOT NULL DEFAULT '';
ALTER TABLE workflow_versions ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE workflow_versions ADD COLUMN restored_from INTEGER;
ALTER TABLE workflow_versions ADD COLUMN published_at INTEGER;
ALTER TABLE workflow_versions ADD COLUMN autosave_since INTEGER;
-- Whether it could run when it was stored; unknown ones are tried.
ALTER TABLE workflow_versions ADD COLUMN is_runnable INTEGER NOT NULL DEFAULT 1;
-- A list of versions, and the search for old ones, would read the graphs otherwise.
DROP INDEX workflow_versions_listed;
CREATE INDEX workflow_versions_listed ON workflow_versions
  (workspace_id, workflow_id, version, node_count, created_at, author, note, restored_from, published_at, is_runnable);

-- The newest version when the run started, if that one could not run.
ALTER TABLE runs ADD COLUMN skipped_version INTEGER;
