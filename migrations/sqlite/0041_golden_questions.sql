-- Golden questions of a knowledge base with the documents that must be found, and their runs. A run is its own queue
-- entry: `due_at` is when a process may claim it, or when the lease of its holder ends. A run before the swap of an index
-- has the id of that generation. `golden_max_lost` is how many questions a change may lose; NULL: any number.
ALTER TABLE knowledge_bases ADD COLUMN golden_max_lost INTEGER DEFAULT 0;
CREATE TABLE golden_questions (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  knowledge_id TEXT NOT NULL,
  question TEXT NOT NULL,
  file_ids TEXT NOT NULL,
  expected_text TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (workspace_id, id),
  UNIQUE (workspace_id, knowledge_id, question)
);
CREATE INDEX golden_questions_by_time ON golden_questions (workspace_id, knowledge_id, created_at, id);
CREATE TABLE golden_runs (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  knowledge_id TEXT NOT NULL,
  generation_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  status TEXT NOT NULL,
  top_k INTEGER NOT NULL,
  total INTEGER NOT NULL,
  done INTEGER NOT NULL,
  hits INTEGER NOT NULL,
  lost INTEGER NOT NULL,
  mrr REAL NOT NULL,
  results TEXT NOT NULL,
  previous TEXT,
  error TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  started_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  lease TEXT,
  due_at INTEGER,
  UNIQUE (workspace_id, id)
);
CREATE INDEX golden_runs_by_base ON golden_runs (workspace_id, knowledge_id, created_at DESC, id);
CREATE INDEX golden_runs_open ON golden_runs (workspace_id, knowledge_id) WHERE status IN ('queued', 'running', 'lost');
CREATE INDEX golden_runs_due ON golden_runs (due_at) WHERE due_at IS NOT NULL;
