-- Test sets of a workflow or an agent, their cases, and test runs: each result is one case with one version. A test run is
-- its own queue entry: `due_at` is when a process may claim it, or when the lease of its holder ends. Results hold a copy of
-- the case, so that later edits do not change what was tested.
CREATE TABLE test_sets (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  workflow_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  gate TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  updated_by TEXT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX test_sets_by_time ON test_sets (workspace_id, created_at DESC, id);
CREATE INDEX test_sets_by_workflow ON test_sets (workspace_id, workflow_id, created_at DESC, id);
CREATE INDEX test_sets_by_agent ON test_sets (workspace_id, agent_id, created_at DESC, id);
CREATE TABLE test_cases (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  set_id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  inputs TEXT NOT NULL,
  checks TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX test_cases_by_set ON test_cases (workspace_id, set_id, created_at, id);
CREATE TABLE test_runs (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  set_id TEXT COLLATE "C" NOT NULL,
  status TEXT NOT NULL,
  versions TEXT NOT NULL,
  total BIGINT NOT NULL,
  passed BIGINT NOT NULL,
  started_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  finished_at BIGINT,
  stop_requested BIGINT NOT NULL,
  lease TEXT,
  due_at BIGINT,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX test_runs_by_set ON test_runs (workspace_id, set_id, created_at DESC, id);
CREATE INDEX test_runs_due ON test_runs (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE test_results (
  workspace_id TEXT COLLATE "C" NOT NULL,
  test_run_id TEXT COLLATE "C" NOT NULL,
  ordinal BIGINT NOT NULL,
  case_id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  label TEXT NOT NULL,
  version BIGINT NOT NULL,
  status TEXT NOT NULL,
  run_id TEXT COLLATE "C" NOT NULL,
  message TEXT NOT NULL,
  tokens BIGINT NOT NULL,
  cost DOUBLE PRECISION NOT NULL,
  elapsed_ms BIGINT NOT NULL,
  inputs TEXT NOT NULL,
  checks TEXT NOT NULL,
  answer TEXT NOT NULL,
  PRIMARY KEY (workspace_id, test_run_id, ordinal)
);
CREATE FUNCTION delete_tests() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  IF TG_TABLE_NAME = 'workflows' THEN DELETE FROM test_sets WHERE workspace_id = OLD.workspace_id AND workflow_id = OLD.id; END IF; IF TG_TABLE_NAME = 'agents' THEN DELETE FROM test_sets WHERE workspace_id = OLD.workspace_id AND agent_id = OLD.id; END IF; IF TG_TABLE_NAME = 'test_sets' THEN DELETE FROM test_cases WHERE workspace_id = OLD.workspace_id AND set_id = OLD.id; DELETE FROM test_runs WHERE workspace_id = OLD.workspace_id AND set_id = OLD.id; END IF; IF TG_TABLE_NAME = 'test_runs' THEN DELETE FROM test_results WHERE workspace_id = OLD.workspace_id AND test_run_id = OLD.id; END IF; RETURN NULL; END $$;
CREATE TRIGGER workflows_tests_deleted AFTER DELETE ON workflows FOR EACH ROW EXECUTE FUNCTION delete_tests();
CREATE TRIGGER agents_tests_deleted AFTER UPDATE OF deleted_at ON agents
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION delete_tests();
CREATE TRIGGER test_sets_deleted AFTER DELETE ON test_sets FOR EACH ROW EXECUTE FUNCTION delete_tests();
CREATE TRIGGER test_runs_deleted AFTER DELETE ON test_runs FOR EACH ROW EXECUTE FUNCTION delete_tests();
