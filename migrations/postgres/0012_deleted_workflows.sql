-- The last version of a deleted workflow, so that no version number of an id is ever used twice.
CREATE TABLE deleted_workflows (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
