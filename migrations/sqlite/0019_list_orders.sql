-- Lists are in the order of an index, however long they are.
CREATE INDEX workspaces_by_time ON workspaces (created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX tokens_by_time ON tokens (workspace_id, created_at, id);
DROP INDEX knowledge_bases_by_update;
CREATE INDEX knowledge_bases_by_update ON knowledge_bases (workspace_id, updated_at DESC, id) WHERE deleted_at IS NULL;
-- Old versions are deleted of these workflows alone.
CREATE INDEX workflows_with_many_versions ON workflows (workspace_id, id) WHERE version > 100;
-- A list of versions, and the search for old ones, would read the graphs otherwise.
CREATE INDEX workflow_versions_listed ON workflow_versions (workspace_id, workflow_id, version, node_count, created_at);
