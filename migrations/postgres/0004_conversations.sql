-- An agent is found through its own row alone: once `deleted_at` is set, none of its conversations can be reached, and
-- they are swept afterwards, a few at a time. Its id alone names it too, because a public agent is used without a token.
CREATE TABLE agents (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  name TEXT NOT NULL,
  search TEXT NOT NULL,
  access TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT,
  intro TEXT NOT NULL,
  memory TEXT NOT NULL,
  learn TEXT NOT NULL,
  config TEXT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX agents_by_update ON agents (workspace_id, updated_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX agents_deleted ON agents (deleted_at) WHERE deleted_at IS NOT NULL;

-- `message_count` numbers its messages; `active_chat_id` is the turn that runs now; `waiting_run_id` is a run that the
-- next turn answers.
CREATE TABLE conversations (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  env_type TEXT NOT NULL,
  name TEXT NOT NULL,
  search TEXT NOT NULL,
  message_count BIGINT NOT NULL,
  active_chat_id TEXT COLLATE "C",
  waiting_run_id TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX conversations_by_update ON conversations (workspace_id, updated_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX conversations_by_agent ON conversations (workspace_id, agent_id, updated_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX conversations_by_user ON conversations (workspace_id, user_id, updated_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX conversations_deleted ON conversations (deleted_at) WHERE deleted_at IS NOT NULL;

-- One message of the user with all replies to it. Their positions lie between the first and the last one.
CREATE TABLE turns (
  workspace_id TEXT COLLATE "C" NOT NULL,
  conversation_id TEXT COLLATE "C" NOT NULL,
  chat_id TEXT COLLATE "C" NOT NULL,
  run_id TEXT COLLATE "C" NOT NULL,
  status TEXT NOT NULL,
  first_position BIGINT NOT NULL,
  last_position BIGINT NOT NULL,
  events_after BIGINT NOT NULL,
  error_reason TEXT,
  error_message TEXT,
  options TEXT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, conversation_id, chat_id)
);
CREATE INDEX turns_active ON turns (created_at) WHERE status = 'active';

-- Positions are dense within a conversation, so that any page is one range of the index.
CREATE TABLE messages (
  workspace_id TEXT COLLATE "C" NOT NULL,
  conversation_id TEXT COLLATE "C" NOT NULL,
  position BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  chat_id TEXT COLLATE "C" NOT NULL,
  role BIGINT NOT NULL,
  data_type TEXT NOT NULL,
  content TEXT NOT NULL,
  file_list TEXT NOT NULL,
  said_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, conversation_id, position),
  UNIQUE (workspace_id, conversation_id, id)
);

-- What a workflow assigned to `memory`; `value` is JSON.
CREATE TABLE conversation_memory (
  workspace_id TEXT COLLATE "C" NOT NULL,
  conversation_id TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  value TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, conversation_id, user_id, key)
);

CREATE TABLE feedback (
  workspace_id TEXT COLLATE "C" NOT NULL,
  conversation_id TEXT COLLATE "C" NOT NULL,
  message_id TEXT COLLATE "C" NOT NULL,
  rating TEXT,
  comment TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, conversation_id, message_id)
);
