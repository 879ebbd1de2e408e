-- Entries are appended here with their change, and moved to audit_entries in batches: an index entry for each of them alone
-- would cost more than most changes.
CREATE TABLE audit_queue (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  actor_role TEXT NOT NULL,
  operation TEXT NOT NULL,
  object_kind TEXT NOT NULL,
  object_id TEXT NOT NULL,
  details TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  address TEXT NOT NULL
);
