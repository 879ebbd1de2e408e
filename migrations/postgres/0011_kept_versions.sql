-- Graphs of deleted workflows that runs in progress, or waiting, started with.
CREATE TABLE kept_versions (
  workspace_id TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  version BIGINT NOT NULL,
  deleted_at BIGINT NOT NULL,
  graph TEXT NOT NULL,
  UNIQUE (workspace_id, workflow_id, version)
);
