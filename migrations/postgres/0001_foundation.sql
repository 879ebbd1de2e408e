-- Times are milliseconds since 1970. Every table leads with the workspace.
-- `search` is what a keyword is looked for in, in lower case, so that both databases find the same.

CREATE TABLE workspaces (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  deleted_at BIGINT
);

CREATE TABLE tokens (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  operator BIGINT NOT NULL,
  agent_ids TEXT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  PRIMARY KEY (workspace_id, id)
);

CREATE TABLE workflows (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  search TEXT NOT NULL DEFAULT '',
  version BIGINT NOT NULL,
  node_count BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX workflows_by_update ON workflows (workspace_id, updated_at DESC, id);

-- The current graph is the version that the workflow's row names: a graph is written once.
CREATE TABLE workflow_versions (
  workspace_id TEXT COLLATE "C" NOT NULL,
  workflow_id TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  graph TEXT NOT NULL,
  node_count BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, workflow_id, version)
);

CREATE TABLE files (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  search TEXT NOT NULL DEFAULT '',
  size BIGINT NOT NULL,
  mime_type TEXT NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX files_by_time ON files (workspace_id, created_at DESC, id);
CREATE INDEX files_by_content ON files (workspace_id, sha256);

-- Equal content is stored once in a workspace; a blob lives while a file has its checksum.
CREATE TABLE blobs (
  workspace_id TEXT COLLATE "C" NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL UNIQUE,
  size BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, sha256)
);

CREATE TABLE idempotency_keys (
  workspace_id TEXT COLLATE "C" NOT NULL,
  token_id TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT NOT NULL,
  answer TEXT,
  claimed_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, token_id, key)
);
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (claimed_at);
