CREATE INDEX CONCURRENTLY readings_quick ON readings (workspace_id, priority, due_at)
  WHERE due_at IS NOT NULL AND slow = 0;
