-- Golden questions of a knowledge base with the documents that must be found, and their runs. A run is its own queue
-- entry: `due_at` is when a process may claim it, or when the lease of its holder ends. A run before the swap of an index
-- has the id of that generation. `golden_max_lost` is how many questions a change may lose; NULL: any number.
ALTER TABLE knowledge_bases ADD COLUMN golden_max_lost BIGINT DEFAULT 0;
CREATE TABLE golden_questions (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  knowledge_id TEXT COLLATE "C" NOT NULL,
  question TEXT NOT NULL,
  file_ids TEXT NOT NULL,
  expected_text TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, knowledge_id, question)
);
CREATE INDEX golden_questions_by_time ON golden_questions (workspace_id, knowledge_id, created_at, id);
CREATE TABLE golden_runs (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  knowledge_id TEXT COLLATE "C" NOT NULL,
  generation_id TEXT COLLATE "C" NOT NULL,
  reason TEXT NOT NULL,
  status TEXT NOT NULL,
  top_k BIGINT NOT NULL,
  total BIGINT NOT NULL,
  done BIGINT NOT NULL,
  hits BIGINT NOT NULL,
  lost BIGINT NOT NULL,
  mrr DOUBLE PRECISION NOT NULL,
  results TEXT NOT NULL,
  previous TEXT,
  error TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  started_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  finished_at BIGINT,
  lease TEXT,
  due_at BIGINT,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX golden_runs_by_base ON golden_runs (workspace_id, knowledge_id, created_at DESC, id);
CREATE INDEX golden_runs_open ON golden_runs (workspace_id, knowledge_id) WHERE status IN ('queued', 'running', 'lost');
CREATE INDEX golden_runs_due ON golden_runs (due_at) WHERE due_at IS NOT NULL;
