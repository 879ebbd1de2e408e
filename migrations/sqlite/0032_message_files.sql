-- Which conversations a file was sent in, so that a token that may read a conversation can read its files.
CREATE TABLE message_files (
  workspace_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  file_id TEXT NOT NULL,
  UNIQUE (workspace_id, file_id, conversation_id)
);
CREATE INDEX message_files_by_conversation ON message_files (workspace_id, conversation_id);

INSERT INTO message_files SELECT DISTINCT m.workspace_id, m.conversation_id, file.value
  FROM messages m, json_each(m.file_list) file WHERE m.file_list <> '[]';
