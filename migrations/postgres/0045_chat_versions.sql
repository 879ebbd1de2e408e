-- A turn that an edited or repeated message replaced stays: `replaced_by` names the turn that took its place, and its
-- messages move here, so that the positions of the conversation stay dense. `version` counts the turns of one place.
ALTER TABLE turns ADD COLUMN replaced_by TEXT COLLATE "C";
ALTER TABLE turns ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
-- The next questions that a model proposed after the answer, as JSON.
ALTER TABLE turns ADD COLUMN suggestions TEXT;

CREATE TABLE replaced_messages (
  workspace_id TEXT COLLATE "C" NOT NULL,
  conversation_id TEXT COLLATE "C" NOT NULL,
  replaced_by TEXT COLLATE "C" NOT NULL,
  position BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  chat_id TEXT COLLATE "C" NOT NULL,
  role BIGINT NOT NULL,
  data_type TEXT NOT NULL,
  content TEXT NOT NULL,
  file_list TEXT NOT NULL,
  said_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, conversation_id, replaced_by, position)
);
CREATE INDEX replaced_messages_by_id ON replaced_messages (workspace_id, conversation_id, id);
