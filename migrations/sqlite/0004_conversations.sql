-- An agent is found through its own row alone: once `deleted_at` is set, none of its conversations can be reached, and
-- they are swept afterwards, a few at a time. Its id alone names it too, because a public agent is used without a token.
CREATE TABLE agents (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  search TEXT NOT NULL,
  access TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  intro TEXT NOT NULL,
  memory TEXT NOT NULL,
  learn TEXT NOT NULL,
  config TEXT NOT NULL,
  UNIQUE (workspace_id, id)
);
CREATE INDEX agents_by_update ON agents (workspace_id, updated_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX agents_deleted ON agents (deleted_at) WHERE deleted_at IS NOT NULL;

-- `message_count` numbers its messages; `active_chat_id` is the turn that runs now; `waiting_run_id` is a run that the
-- next turn answers.
CREATE TABLE conversations (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  env_type TEXT NOT NULL,
  name TEXT NOT NULL,
  search TEXT NOT NULL,
  message_count INTEGER NOT NULL,
  active_chat_id TEXT,
  waiting_run_id TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  UNIQUE (workspace_id, id)
);
CREATE INDEX conversations_by_update ON conversations (workspace_id, updated_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX conversations_by_agent ON conversations (workspace_id, agent_id, updated_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX conversations_by_user ON conversations (workspace_id, user_id, updated_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX conversations_deleted ON conversations (deleted_at) WHERE deleted_at IS NOT NULL;

-- One message of the user with all replies to it. Their positions lie between the first and the last one.
CREATE TABLE turns (
  workspace_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  chat_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  status TEXT NOT NULL,
  first_position INTEGER NOT NULL,
  last_position INTEGER NOT NULL,
  events_after INTEGER NOT NULL,
  error_reason TEXT,
  error_message TEXT,
  options TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (workspace_id, conversation_id, chat_id)
);
CREATE INDEX turns_active ON turns (created_at) WHERE status = 'active';

-- Positions are dense within a conversation, so that any page is one range of the index.
CREATE TABLE messages (
  workspace_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  id TEXT NOT NULL,
  chat_id TEXT NOT NULL,
  role INTEGER NOT NULL,
  data_type TEXT NOT NULL,
  content TEXT NOT NULL,
  file_list TEXT NOT NULL,
  said_at INTEGER NOT NULL,
  UNIQUE (workspace_id, conversation_id, position),
  UNIQUE (workspace_id, conversation_id, id)
);

-- What a workflow assigned to `memory`; `value` is JSON.
CREATE TABLE conversation_memory (
  workspace_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (workspace_id, conversation_id, user_id, key)
);

CREATE TABLE feedback (
  workspace_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  rating TEXT,
  comment TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (workspace_id, conversation_id, message_id)
);
