-- Workspaces take turns in ingestion: the next workspace with a job, and its next job.
CREATE INDEX readings_by_turn ON readings (workspace_id, priority, due_at) WHERE due_at IS NOT NULL;
