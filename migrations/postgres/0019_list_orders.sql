-- The names that exist. Names that change meanwhile are indexed by the triggers.
INSERT INTO search_index SELECT 'workflows', workspace_id, id, search_grams('workflows.' || workspace_id || '.', search)
  FROM workflows WHERE search <> '' ON CONFLICT DO NOTHING;
INSERT INTO search_index SELECT 'files', workspace_id, id, search_grams('files.' || workspace_id || '.', search)
  FROM files WHERE search <> '' ON CONFLICT DO NOTHING;
INSERT INTO search_index SELECT 'agents', workspace_id, id, search_grams('agents.' || workspace_id || '.', search)
  FROM agents WHERE search <> '' ON CONFLICT DO NOTHING;
INSERT INTO search_index SELECT 'conversations', workspace_id, id, search_grams('conversations.' || workspace_id || '.', search)
  FROM conversations WHERE search <> '' ON CONFLICT DO NOTHING;
INSERT INTO search_index SELECT 'knowledge_bases', workspace_id, id, search_grams('knowledge_bases.' || workspace_id || '.', search)
  FROM knowledge_bases WHERE search <> '' ON CONFLICT DO NOTHING;
INSERT INTO search_index SELECT 'documents', knowledge_id, file_id, search_grams('documents.' || knowledge_id || '.', search)
  FROM documents WHERE search <> '' ON CONFLICT DO NOTHING;

-- Lists are in the order of an index, however long they are.
CREATE INDEX workspaces_by_time ON workspaces (created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX tokens_by_time ON tokens (workspace_id, created_at, id);
