-- Models of several types; every type has its own default.
ALTER TABLE models ADD COLUMN type TEXT COLLATE "C" NOT NULL DEFAULT 'chat';
-- Headers are sealed like the key: some providers take it in one.
ALTER TABLE models ADD COLUMN sealed_headers TEXT;
-- What is not looked up by: parameters, limits, features, prices, fallbacks. JSON.
ALTER TABLE models ADD COLUMN options TEXT NOT NULL DEFAULT '{}';
DROP INDEX models_default;
CREATE UNIQUE INDEX models_default ON models (workspace_id, type) WHERE is_default = 1;
