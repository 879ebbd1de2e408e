-- Passages that users add to a document. They survive its re-processing: each generation has them in a batch of their own.
CREATE TABLE manual_passages (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  knowledge_id TEXT NOT NULL,
  file_id TEXT NOT NULL,
  content TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (workspace_id, knowledge_id, file_id, created_at, id)
);
ALTER TABLE batches ADD COLUMN manual INTEGER NOT NULL DEFAULT 0;
