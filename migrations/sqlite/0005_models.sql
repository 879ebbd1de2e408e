-- Models that a workspace brings along. The key is sealed; `version` counts the changes.
CREATE TABLE models (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  base_url TEXT NOT NULL,
  model TEXT NOT NULL,
  sealed_key TEXT,
  is_default INTEGER NOT NULL,
  max_tokens INTEGER,
  temperature REAL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (workspace_id, id),
  UNIQUE (workspace_id, name)
);
CREATE UNIQUE INDEX models_default ON models (workspace_id) WHERE is_default = 1;
