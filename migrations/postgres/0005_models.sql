-- Models that a workspace brings along. The key is sealed; `version` counts the changes.
CREATE TABLE models (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  base_url TEXT NOT NULL,
  model TEXT NOT NULL,
  sealed_key TEXT,
  is_default BIGINT NOT NULL,
  max_tokens BIGINT,
  temperature DOUBLE PRECISION,
  version BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, name)
);
CREATE UNIQUE INDEX models_default ON models (workspace_id) WHERE is_default = 1;
