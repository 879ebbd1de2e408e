-- The last version of a deleted workflow, so that no version number of an id is ever used twice.
CREATE TABLE deleted_workflows (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  UNIQUE (workspace_id, id)
);
