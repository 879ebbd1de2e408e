-- Answers that editors gave to questions: an agent gives them again without a model. `question_key` is a hash of the
-- question without case, space and punctuation. A turn names the annotation that answered it.
CREATE TABLE annotations (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  question TEXT NOT NULL,
  question_key TEXT NOT NULL,
  answer TEXT NOT NULL,
  search TEXT NOT NULL,
  hits INTEGER NOT NULL,
  last_hit_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by TEXT NOT NULL,
  UNIQUE (workspace_id, id),
  UNIQUE (workspace_id, agent_id, question_key)
);
CREATE INDEX annotations_by_time ON annotations (workspace_id, agent_id, created_at DESC, id);
ALTER TABLE turns ADD COLUMN annotation_id TEXT;
CREATE TRIGGER agents_annotations_deleted AFTER UPDATE OF deleted_at ON agents WHEN NEW.deleted_at IS NOT NULL BEGIN
  DELETE FROM annotations WHERE workspace_id = OLD.workspace_id AND agent_id = OLD.id; END;
