-- The names that exist.
INSERT INTO search_texts SELECT rowid * 8, 'workflows.' || workspace_id || '.', search FROM workflows;
INSERT INTO search_texts SELECT rowid * 8 + 1, 'files.' || workspace_id || '.', search FROM files;
INSERT INTO search_texts SELECT rowid * 8 + 2, 'agents.' || workspace_id || '.', search FROM agents WHERE deleted_at IS NULL;
INSERT INTO search_texts SELECT rowid * 8 + 3, 'conversations.' || workspace_id || '.', search FROM conversations WHERE deleted_at IS NULL;
INSERT INTO search_texts SELECT rowid * 8 + 4, 'knowledge_bases.' || workspace_id || '.', search FROM knowledge_bases WHERE deleted_at IS NULL;
INSERT INTO search_texts SELECT rowid * 8 + 5, 'documents.' || knowledge_id || '.', search FROM documents;
