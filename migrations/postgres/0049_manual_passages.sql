-- Passages that users add to a document. They survive its re-processing: each generation has them in a batch of their own.
CREATE TABLE manual_passages (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  knowledge_id TEXT COLLATE "C" NOT NULL,
  file_id TEXT COLLATE "C" NOT NULL,
  content TEXT NOT NULL,
  enabled BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, knowledge_id, file_id, created_at, id)
);
ALTER TABLE batches ADD COLUMN manual BIGINT NOT NULL DEFAULT 0;
