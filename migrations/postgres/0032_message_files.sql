-- Which conversations a file was sent in, so that a token that may read a conversation can read its files.
CREATE TABLE message_files (
  workspace_id TEXT COLLATE "C" NOT NULL,
  conversation_id TEXT COLLATE "C" NOT NULL,
  file_id TEXT COLLATE "C" NOT NULL,
  UNIQUE (workspace_id, file_id, conversation_id)
);
CREATE INDEX message_files_by_conversation ON message_files (workspace_id, conversation_id);

INSERT INTO message_files SELECT DISTINCT m.workspace_id, m.conversation_id, file.id
  FROM messages m, jsonb_array_elements_text(m.file_list::jsonb) AS file (id) WHERE m.file_list <> '[]';
