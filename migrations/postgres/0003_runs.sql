-- A run of a workflow, and its own queue entry: `due_at` is when it may be taken, or, while somebody works on it,
-- when the lease ends. It is null once the run has ended or waits for a person; `settled_at` is set then, and tells
-- from when on it may be forgotten. `written_steps` numbers the steps in the order they came. What may be long stands
-- last, as in SQLite. A run is updated many times: room on the page keeps its indexes out of that.
CREATE TABLE runs (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  triggered_by TEXT NOT NULL,
  workflow_id TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  conversation_id TEXT COLLATE "C" NOT NULL,
  user_id TEXT NOT NULL,
  chat_id TEXT NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  lease TEXT COLLATE "C",
  due_at BIGINT,
  settled_at BIGINT,
  stop_requested BIGINT NOT NULL,
  claims BIGINT NOT NULL,
  sequence BIGINT NOT NULL,
  written_steps BIGINT NOT NULL,
  step_count BIGINT NOT NULL,
  prompt_tokens BIGINT NOT NULL,
  completion_tokens BIGINT NOT NULL,
  active_milliseconds BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  finished_at BIGINT,
  error TEXT,
  answer TEXT NOT NULL,
  waiting TEXT,
  reply TEXT,
  inputs TEXT NOT NULL,
  outputs TEXT,
  graph TEXT,
  PRIMARY KEY (workspace_id, id)
) WITH (fillfactor = 70);
CREATE INDEX runs_by_time ON runs (workspace_id, created_at DESC, id);
CREATE INDEX runs_by_workflow ON runs (workspace_id, workflow_id, created_at DESC, id, status);
CREATE INDEX runs_by_agent ON runs (workspace_id, agent_id, created_at DESC, id);
CREATE INDEX runs_by_conversation ON runs (workspace_id, conversation_id, created_at DESC, id);
CREATE INDEX runs_by_status ON runs (workspace_id, status, created_at DESC, id);
CREATE INDEX runs_due ON runs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX runs_settled ON runs (settled_at) WHERE settled_at IS NOT NULL;

-- The id of a node may be any text, of any length: `path` is a JSON string, since a column cannot hold every character,
-- and `key` tells paths apart, shortened where an index could not hold them.
CREATE TABLE run_steps (
  workspace_id TEXT COLLATE "C" NOT NULL,
  run_id TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  path TEXT NOT NULL,
  ordinal BIGINT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  attempts BIGINT NOT NULL,
  starts BIGINT NOT NULL,
  prompt_tokens BIGINT NOT NULL,
  completion_tokens BIGINT NOT NULL,
  started_at BIGINT NOT NULL,
  finished_at BIGINT,
  error TEXT,
  state TEXT,
  inputs TEXT,
  outputs TEXT,
  PRIMARY KEY (workspace_id, run_id, key)
);

-- Results of what a step did once. The first that is written stays.
CREATE TABLE run_effects (
  workspace_id TEXT COLLATE "C" NOT NULL,
  run_id TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  result TEXT NOT NULL,
  PRIMARY KEY (workspace_id, run_id, key)
);

-- Many events in a row, since they come in heaps: `lines` holds one JSON object per line.
CREATE TABLE run_events (
  workspace_id TEXT COLLATE "C" NOT NULL,
  run_id TEXT COLLATE "C" NOT NULL,
  last_number BIGINT NOT NULL,
  first_number BIGINT NOT NULL,
  lines TEXT NOT NULL,
  PRIMARY KEY (workspace_id, run_id, last_number)
);

-- Counts of runs by the day they ended (days since 1970), which outlive the runs. Each process adds to rows of its own
-- `shard`, so that replicas need not wait for each other; whoever reads adds the shards up.
CREATE TABLE usage_days (
  workspace_id TEXT COLLATE "C" NOT NULL,
  day BIGINT NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  workflow_id TEXT COLLATE "C" NOT NULL,
  shard BIGINT NOT NULL,
  runs BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  prompt_tokens BIGINT NOT NULL,
  completion_tokens BIGINT NOT NULL,
  active_milliseconds BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, day, agent_id, workflow_id, shard)
);

-- Outputs that are too large for the journal: rows that are read often stay small.
CREATE TABLE run_contents (
  workspace_id TEXT COLLATE "C" NOT NULL,
  run_id TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (workspace_id, run_id, key)
);
