-- Schedules and webhooks that start runs of a workflow. `next_at` is the next occurrence of a schedule, `due_at` when a
-- process may fire it: the occurrence itself, or later while another process is firing it. The secret is sealed.
CREATE TABLE triggers (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  workflow_id TEXT COLLATE "C" NOT NULL,
  enabled BIGINT NOT NULL,
  inputs TEXT NOT NULL,
  settings TEXT NOT NULL,
  sealed_secret TEXT,
  next_at BIGINT,
  due_at BIGINT,
  failure TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  updated_by TEXT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX triggers_by_id ON triggers (id);
CREATE INDEX triggers_by_time ON triggers (workspace_id, created_at DESC, id);
CREATE INDEX triggers_by_workflow ON triggers (workspace_id, workflow_id, created_at DESC, id);
CREATE INDEX triggers_due ON triggers (due_at) WHERE due_at IS NOT NULL;

-- The trigger that started a run; empty for other runs.
ALTER TABLE runs ADD COLUMN trigger_id TEXT COLLATE "C" NOT NULL DEFAULT '';
