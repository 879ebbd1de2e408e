CREATE INDEX CONCURRENTLY web_pages_due_on_host ON web_pages (workspace_id, host, due_at) WHERE due_at IS NOT NULL;
