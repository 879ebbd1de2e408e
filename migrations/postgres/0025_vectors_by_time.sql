-- Finds the vectors of a generation that its graph does not cover yet.
CREATE INDEX CONCURRENTLY vectors_by_time ON vectors (workspace_id, generation_id, written_at);
