-- Schedules and webhooks that start runs of a workflow. `next_at` is the next occurrence of a schedule, `due_at` when a
-- process may fire it: the occurrence itself, or later while another process is firing it. The secret is sealed.
CREATE TABLE triggers (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  inputs TEXT NOT NULL,
  settings TEXT NOT NULL,
  sealed_secret TEXT,
  next_at INTEGER,
  due_at INTEGER,
  failure TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by TEXT NOT NULL,
  UNIQUE (workspace_id, id)
);
CREATE UNIQUE INDEX triggers_by_id ON triggers (id);
CREATE INDEX triggers_by_time ON triggers (workspace_id, created_at DESC, id);
CREATE INDEX triggers_by_workflow ON triggers (workspace_id, workflow_id, created_at DESC, id);
CREATE INDEX triggers_due ON triggers (due_at) WHERE due_at IS NOT NULL;

-- The trigger that started a run; empty for other runs.
ALTER TABLE runs ADD COLUMN trigger_id TEXT NOT NULL DEFAULT '';
