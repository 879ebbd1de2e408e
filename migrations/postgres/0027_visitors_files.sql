-- The files of a conversation, and how much visitors store.
CREATE INDEX CONCURRENTLY files_of_conversations ON files (workspace_id, conversation_id, size) WHERE conversation_id IS NOT NULL;
