-- The value that a key of `conversation_memory` had before a turn first assigned it, as JSON; NULL if it had none. When
-- the turn is replaced, the two values change places. `position` is that of the user's message.
CREATE TABLE earlier_memory (
  workspace_id TEXT COLLATE "C" NOT NULL,
  conversation_id TEXT COLLATE "C" NOT NULL,
  position BIGINT NOT NULL,
  chat_id TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  value TEXT,
  PRIMARY KEY (workspace_id, conversation_id, position, chat_id, user_id, key)
);
