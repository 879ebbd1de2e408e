-- Test sets of a workflow or an agent, their cases, and test runs: each result is one case with one version. A test run is
-- its own queue entry: `due_at` is when a process may claim it, or when the lease of its holder ends. Results hold a copy of
-- the case, so that later edits do not change what was tested.
CREATE TABLE test_sets (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  gate TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by TEXT NOT NULL,
  UNIQUE (workspace_id, id)
);
CREATE INDEX test_sets_by_time ON test_sets (workspace_id, created_at DESC, id);
CREATE INDEX test_sets_by_workflow ON test_sets (workspace_id, workflow_id, created_at DESC, id);
CREATE INDEX test_sets_by_agent ON test_sets (workspace_id, agent_id, created_at DESC, id);
CREATE TABLE test_cases (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  set_id TEXT NOT NULL,
  name TEXT NOT NULL,
  inputs TEXT NOT NULL,
  checks TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (workspace_id, id)
);
CREATE INDEX test_cases_by_set ON test_cases (workspace_id, set_id, created_at, id);
CREATE TABLE test_runs (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  set_id TEXT NOT NULL,
  status TEXT NOT NULL,
  versions TEXT NOT NULL,
  total INTEGER NOT NULL,
  passed INTEGER NOT NULL,
  started_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  stop_requested INTEGER NOT NULL,
  lease TEXT,
  due_at INTEGER,
  UNIQUE (workspace_id, id)
);
CREATE INDEX test_runs_by_set ON test_runs (workspace_id, set_id, created_at DESC, id);
CREATE INDEX test_runs_due ON test_runs (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE test_results (
  workspace_id TEXT NOT NULL,
  test_run_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  case_id TEXT NOT NULL,
  name TEXT NOT NULL,
  label TEXT NOT NULL,
  version INTEGER NOT NULL,
  status TEXT NOT NULL,
  run_id TEXT NOT NULL,
  message TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  cost REAL NOT NULL,
  elapsed_ms INTEGER NOT NULL,
  inputs TEXT NOT NULL,
  checks TEXT NOT NULL,
  answer TEXT NOT NULL,
  UNIQUE (workspace_id, test_run_id, ordinal)
);
CREATE TRIGGER workflows_tests_deleted AFTER DELETE ON workflows BEGIN
  DELETE FROM test_sets WHERE workspace_id = OLD.workspace_id AND workflow_id = OLD.id; END;
CREATE TRIGGER agents_tests_deleted AFTER UPDATE OF deleted_at ON agents WHEN NEW.deleted_at IS NOT NULL BEGIN
  DELETE FROM test_sets WHERE workspace_id = OLD.workspace_id AND agent_id = OLD.id; END;
CREATE TRIGGER test_sets_deleted AFTER DELETE ON test_sets BEGIN
  DELETE FROM test_cases WHERE workspace_id = OLD.workspace_id AND set_id = OLD.id; DELETE FROM test_runs WHERE workspace_id = OLD.workspace_id AND set_id = OLD.id; END;
CREATE TRIGGER test_runs_deleted AFTER DELETE ON test_runs BEGIN
  DELETE FROM test_results WHERE workspace_id = OLD.workspace_id AND test_run_id = OLD.id; END;
