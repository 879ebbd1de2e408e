-- Lists are in the order of an index, however long they are.
CREATE INDEX CONCURRENTLY workspaces_by_time ON workspaces (created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX CONCURRENTLY tokens_by_time ON tokens (workspace_id, created_at, id);
-- Old versions are deleted of these workflows alone.
CREATE INDEX CONCURRENTLY workflows_with_many_versions ON workflows (workspace_id, id) WHERE version > 100;
