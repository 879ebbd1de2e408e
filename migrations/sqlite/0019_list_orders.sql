-- Lists are in the order of an index, however long they are. It contains `deleted_at`, so that rows are counted without
-- reading them: SQLite looks at the column although no row of the index has one.
CREATE INDEX workspaces_by_time ON workspaces (created_at, id, deleted_at) WHERE deleted_at IS NULL;
CREATE INDEX tokens_by_time ON tokens (workspace_id, created_at, id);
DROP INDEX knowledge_bases_by_update;
CREATE INDEX knowledge_bases_by_update ON knowledge_bases (workspace_id, updated_at DESC, id, deleted_at)
  WHERE deleted_at IS NULL;
DROP INDEX agents_by_update;
CREATE INDEX agents_by_update ON agents (workspace_id, updated_at DESC, id, deleted_at) WHERE deleted_at IS NULL;
DROP INDEX conversations_by_update;
CREATE INDEX conversations_by_update ON conversations (workspace_id, updated_at DESC, id, deleted_at)
  WHERE deleted_at IS NULL;
DROP INDEX conversations_by_agent;
CREATE INDEX conversations_by_agent ON conversations (workspace_id, agent_id, updated_at DESC, id, deleted_at)
  WHERE deleted_at IS NULL;
DROP INDEX conversations_by_user;
CREATE INDEX conversations_by_user ON conversations (workspace_id, user_id, updated_at DESC, id, deleted_at)
  WHERE deleted_at IS NULL;
-- Old versions are deleted of these workflows alone.
CREATE INDEX workflows_with_many_versions ON workflows (workspace_id, id) WHERE version > 100;
-- A list of versions, and the search for old ones, would read the graphs otherwise.
CREATE INDEX workflow_versions_listed ON workflow_versions (workspace_id, workflow_id, version, node_count, created_at);
