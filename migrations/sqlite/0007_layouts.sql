-- Where an editor draws the nodes of a workflow: one row, no part of its versions. `positions` is JSON, a list of
-- [node id, x, y], and what was placed last stands last.
CREATE TABLE workflow_layouts (
  workspace_id TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  positions TEXT NOT NULL,
  UNIQUE (workspace_id, workflow_id)
);
