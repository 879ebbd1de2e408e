-- Runs of a user, without reading the rows of others.
CREATE INDEX CONCURRENTLY runs_by_user ON runs (workspace_id, user_id, created_at DESC, id, status) WHERE user_id <> '';
-- Runs whose texts are to be indexed.
CREATE INDEX CONCURRENTLY runs_unindexed ON runs (settled_at) WHERE search IS NULL AND settled_at IS NOT NULL;
