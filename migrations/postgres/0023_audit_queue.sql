-- Entries are appended here with their change, and moved to audit_entries in batches: an index entry for each of them alone
-- would cost more than most changes.
CREATE TABLE audit_queue (
  workspace_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  actor_id TEXT COLLATE "C" NOT NULL,
  actor_name TEXT NOT NULL,
  actor_role TEXT NOT NULL,
  operation TEXT COLLATE "C" NOT NULL,
  object_kind TEXT NOT NULL,
  object_id TEXT COLLATE "C" NOT NULL,
  details TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  address TEXT NOT NULL
);
