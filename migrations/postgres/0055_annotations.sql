-- Answers that editors gave to questions: an agent gives them again without a model. `question_key` is a hash of the
-- question without case, space and punctuation. A turn names the annotation that answered it.
CREATE TABLE annotations (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  question TEXT NOT NULL,
  question_key TEXT COLLATE "C" NOT NULL,
  answer TEXT NOT NULL,
  search TEXT NOT NULL,
  hits BIGINT NOT NULL,
  last_hit_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  updated_by TEXT NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, agent_id, question_key)
);
CREATE INDEX annotations_by_time ON annotations (workspace_id, agent_id, created_at DESC, id);
ALTER TABLE turns ADD COLUMN annotation_id TEXT;
CREATE FUNCTION delete_annotations() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM annotations WHERE workspace_id = OLD.workspace_id AND agent_id = OLD.id; RETURN NULL; END $$;
CREATE TRIGGER agents_annotations_deleted AFTER UPDATE OF deleted_at ON agents
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION delete_annotations();
