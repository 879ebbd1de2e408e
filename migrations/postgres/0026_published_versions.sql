-- The version that runs for everyone but its authors; NULL: the newest one.
ALTER TABLE workflows ADD COLUMN published_version BIGINT;
ALTER TABLE workflows ADD COLUMN published_at BIGINT;

-- Who stored a version, and why it is kept. `autosave_since` is when the autosaves that it replaced began.
ALTER TABLE workflow_versions ADD COLUMN author TEXT NOT NULL DEFAULT '';
ALTER TABLE workflow_versions ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE workflow_versions ADD COLUMN restored_from BIGINT;
ALTER TABLE workflow_versions ADD COLUMN published_at BIGINT;
ALTER TABLE workflow_versions ADD COLUMN autosave_since BIGINT;
-- Whether it could run when it was stored; unknown ones are tried.
ALTER TABLE workflow_versions ADD COLUMN is_runnable BIGINT NOT NULL DEFAULT 1;

-- The newest version when the run started, if that one could not run.
ALTER TABLE runs ADD COLUMN skipped_version BIGINT;
