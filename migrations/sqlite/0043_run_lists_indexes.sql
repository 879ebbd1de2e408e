-- Runs of a user, and runs of an agent by status, without reading the rows of others.
CREATE INDEX runs_by_user ON runs (workspace_id, user_id, created_at DESC, id, status) WHERE user_id <> '';
DROP INDEX runs_by_agent;
CREATE INDEX runs_by_agent ON runs (workspace_id, agent_id, created_at DESC, id, status);
-- Runs whose texts are to be indexed.
CREATE INDEX runs_unindexed ON runs (settled_at) WHERE search IS NULL AND settled_at IS NOT NULL;
