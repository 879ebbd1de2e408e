-- Where an editor draws the nodes of a workflow: one row, no part of its versions. `positions` is JSON, a list of
-- [node id, x, y], and what was placed last stands last.
CREATE TABLE workflow_layouts (
  workspace_id TEXT COLLATE "C" NOT NULL,
  workflow_id TEXT COLLATE "C" NOT NULL,
  positions TEXT NOT NULL,
  PRIMARY KEY (workspace_id, workflow_id)
);
