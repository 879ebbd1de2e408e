-- The value that a key of `conversation_memory` had before a turn first assigned it, as JSON; NULL if it had none. When
-- the turn is replaced, the two values change places. `position` is that of the user's message.
CREATE TABLE earlier_memory (
  workspace_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  chat_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT,
  UNIQUE (workspace_id, conversation_id, position, chat_id, user_id, key)
);
