-- The runs of a trigger.
CREATE INDEX CONCURRENTLY runs_by_trigger ON runs (workspace_id, trigger_id, created_at DESC, id) WHERE trigger_id <> '';
