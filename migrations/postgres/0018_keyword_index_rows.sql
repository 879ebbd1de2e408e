-- The names that exist. Names that change meanwhile are indexed by the triggers.
INSERT INTO search_index SELECT 'workflows', workspace_id, id, search_grams('workflows', workspace_id, id, search)
  FROM workflows WHERE search <> '' ON CONFLICT DO NOTHING;
INSERT INTO search_index SELECT 'files', workspace_id, id, search_grams('files', workspace_id, id, search)
  FROM files WHERE search <> '' ON CONFLICT DO NOTHING;
INSERT INTO search_index SELECT 'agents', workspace_id, id, search_grams('agents', workspace_id, id, search)
  FROM agents WHERE search <> '' AND deleted_at IS NULL ON CONFLICT DO NOTHING;
INSERT INTO search_index SELECT 'conversations', workspace_id, id, search_grams('conversations', workspace_id, id, search)
  FROM conversations WHERE search <> '' AND deleted_at IS NULL ON CONFLICT DO NOTHING;
INSERT INTO search_index SELECT 'knowledge_bases', workspace_id, id, search_grams('knowledge_bases', workspace_id, id, search)
  FROM knowledge_bases WHERE search <> '' AND deleted_at IS NULL ON CONFLICT DO NOTHING;
INSERT INTO search_index SELECT 'documents', knowledge_id, file_id, search_grams('documents', knowledge_id, file_id, search)
  FROM documents WHERE search <> '' ON CONFLICT DO NOTHING;
